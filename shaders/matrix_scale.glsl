//! Of matrices of sums: loads, products and sums element by element.
//! needs: matrix_unit.glsl
//! provides: matrix_load_sum, as matrix_load_a; matrix_scale; matrix_add
//! threads: all of a subgroup, with the same arguments
spirv_instruction(id = 4457)
MatrixSum matrix_load_sum(spirv_by_reference uvec4 from, uint by, uint pitch, spirv_literal uint access, uint scope);
spirv_instruction(id = 133) MatrixSum matrix_scale(MatrixSum x, MatrixSum y);
spirv_instruction(id = 129) MatrixSum matrix_add(MatrixSum x, MatrixSum y);
