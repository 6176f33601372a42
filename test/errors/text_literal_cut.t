reads: text
---
graph "" entry=f0 callbacks=0
literal l0 = u8[300000] sha256=0000000000000000000000000000000000000000000000000000000000000000 data=010203
---
1 the text ends before 300000 bytes of literal l0
at line 2
