package program

import "github.com/tracelake/tracelake/decode/image"

type debugInfo struct{}

func (p *Program) readDebug(image.File, *image.ELF, *symbolTable) *debugInfo { return nil }
func (p *Program) fromDWARF(*debugInfo, []Function) []Function               { return nil }
func (p *Program) define(*debugInfo)                                         {}
func (p *Program) findLines(*debugInfo)                                      {}
func (p *Program) load(uint32)                                               {}
