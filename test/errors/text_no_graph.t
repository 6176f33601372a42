reads: text
---
func f0() {
  return
}
---
1 needs graph, found "func"
at line 1
