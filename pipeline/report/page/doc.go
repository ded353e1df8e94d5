// Package page makes the report page: one HTML file that needs no network, in which a
// dataset is looked at.
//
// Data flows one way. Package report and its packages profile and timeline answer; [Read]
// asks them and holds what they say as a [Page]; [Page.Write] writes the page, [Page.Fit] one of
// a size. Its text is
// from a template: how far the figures can be trusted, totals, the ten hottest functions and
// files can be read without JavaScript. What tables and pictures are drawn from is in one
// block of [Data], which the module report.js lays out, filters and sorts; it computes no
// figure.
//
// A page has two script elements, that block and the module, and a content security policy
// that allows no other script, style or connection. All names in it are other people's: the
// template escapes them, the module writes text nodes only.
package page
