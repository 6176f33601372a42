reads: text
---
graph "" entry=f0 callbacks=0
func f1() {
  return
}
---
1 needs f0, found f1: functions come in order, at most 16384
at line 2
