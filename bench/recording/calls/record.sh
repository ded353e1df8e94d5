#!/bin/sh -e
# Makes the files of this folder that end in .gz again: programs, what they executed, and what they
# called. Needs qemu-arm and a cross compiler (Debian: qemu-user, g++-arm-linux-gnueabihf,
# libc6-dev-armhf-cross). Run it in this folder.
#
# What is here was made on Debian 12 with GCC 12.2.0-14, binutils 2.40 and QEMU 7.2.
arm=arm-linux-gnueabihf-
build=$(mktemp -d)
trap 'rm -r "$build"' EXIT
flags='-O2 -march=armv7-a -mfpu=vfpv3-d16 -fno-inline -fno-ipa-cp -fno-ipa-sra -static -no-pie -Wall -Wextra -Wl,--build-id=none'
for name in jump switch signal; do
	${arm}gcc $flags -ffreestanding -fno-builtin -fno-unwind-tables -nostdlib -o "$build/$name" program/start.S program/$name.c
done
${arm}g++ $flags -Wl,--gc-sections -o "$build/throw" program/throw.cc
for name in jump switch signal throw; do
	qemu-arm -singlestep -d exec,cpu,nochain -D "$build/log" "$build/$name" || [ $? = 7 ]
	python3 truth.py "$build/$name" "$build/log" | gzip -9n >$name.calls.gz
	go run ./make -elf "$build/$name" -log "$build/log" -to $name
done
