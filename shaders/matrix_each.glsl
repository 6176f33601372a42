//! A function of every element of a matrix (OpCooperativeMatrixPerElementOpNV of
//!   VK_NV_cooperative_matrix2), which GLSL has no name for: `finished` is a call of it, whose place
//!   pack/finish.c gives to the function itself.
//! needs: matrix_group.glsl
//! provides: matrix_each; tile_m, tile_n: where the workgroup's tile is, for the function
//! threads: all of a workgroup
spirv_instruction(extensions = ["SPV_NV_cooperative_matrix2"], capabilities = [5432], id = 5369)
MatrixSum matrix_each(MatrixSum sum, float finished);
uint tile_m, tile_n;
