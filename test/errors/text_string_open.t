reads: text
---
graph "a
" entry=f0 callbacks=0
---
1 a string does not end on its line
at line 1
