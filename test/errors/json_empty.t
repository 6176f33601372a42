reads: json
---

---
1 not JSON: the text ends too early at byte 1
at $
