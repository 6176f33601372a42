//! Matrices that a subgroup's threads hold together, and what matrix units do with them
//!   (VK_KHR_cooperative_matrix). GLSL for them is newer than the compilers of some systems, so
//!   the instructions are named by number: 4456 to 4459 are OpTypeCooperativeMatrixKHR, Load,
//!   Store and MulAdd, 80 is OpCompositeConstruct. The numbers of a type are its element, whose
//!   meaning pack/finish.c has, the scope (3: a subgroup), rows, columns, and what it is used as.
//!   Loads make visible, and stores available, to the workgroup (scope 2).
//! needs: ELEMENT of the operands; ROWS, COLUMNS and K of a product; CAPABILITIES and EXTENSIONS of
//!   the operands' type; the Vulkan memory model
//! provides: MatrixA, MatrixB: operands; MatrixSum: of f32; matrix_fill; matrix_load_a and _b, from
//!   a shared array on, by rows (`by` 0) or columns (1) that are `pitch` elements of the array
//!   apart; matrix_store; matrix_multiply_add
//! threads: all of a subgroup, with the same arguments
#define MATRIX_TYPE extensions = ["SPV_KHR_cooperative_matrix"@EXTENSIONS@], capabilities = [6022@CAPABILITIES@], id = 4456
#define MatrixA spirv_type(MATRIX_TYPE, @ELEMENT@, 3, @ROWS@, @K@, 0)
#define MatrixB spirv_type(MATRIX_TYPE, @ELEMENT@, 3, @K@, @COLUMNS@, 1)
#define MatrixSum spirv_type(MATRIX_TYPE, 32, 3, @ROWS@, @COLUMNS@, 2)
spirv_instruction(id = 4457)
MatrixA matrix_load_a(spirv_by_reference uvec4 from, uint by, uint pitch, spirv_literal uint access, uint scope);
spirv_instruction(id = 4457)
MatrixB matrix_load_b(spirv_by_reference uvec4 from, uint by, uint pitch, spirv_literal uint access, uint scope);
spirv_instruction(id = 4458)
void matrix_store(spirv_by_reference uvec4 to, MatrixSum sum, uint by, uint pitch, spirv_literal uint access, uint scope);
spirv_instruction(id = 4459) MatrixSum matrix_multiply_add(MatrixA a, MatrixB b, MatrixSum sum);
spirv_instruction(id = 80) MatrixSum matrix_fill(float x);
