reads: text
---
graph "" entry=f0 callbacks=0
func f0() { return }
---
graph "" entry=f0 callbacks=0

func f0() {
  return
}
