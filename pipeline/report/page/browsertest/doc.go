// Package browsertest opens pages in a headless browser, for tests of what people see: what
// a script finds in a page, what the browser's console says, and a picture. Only tests
// import it.
//
// Its API is not stable (docs/guide/library.md).
package browsertest
