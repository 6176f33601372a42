reads: text
---
graph "a\q" entry=f0 callbacks=0
---
1 in a string, only \", \\ and \xHH follow a backslash, and there is no NUL
at line 1
