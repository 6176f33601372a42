# sed -E -f widen.sed: of a file of c64 makes the one of c128. Only a file for which that is right has no _c128.glsl.
s/_c64/_c128/g
s/_f32/_f64/g
s/(^|[^a-z])vec2/\1dvec2/g
s/(^|[^A-Za-z_])float([^A-Za-z_])/\1double\2/g
s/NX_(NAN|INF)/double(NX_\1)/g
1,2!s/[0-9]\.[0-9]+(e-?[0-9]+)?/&lf/g
