//! Matrices that all threads of a workgroup hold together, and what matrix units do with them
//!   (VK_NV_cooperative_matrix2). The instructions are those of matrix_unit.glsl, named by number:
//!   4456 to 4459 are OpTypeCooperativeMatrixKHR, Load, Store and MulAdd, 80 is
//!   OpCompositeConstruct, 115 OpFConvert. The numbers of a type are its element, whose meaning
//!   pack/finish.c has, the scope (2: a workgroup), rows, columns, and what it is used as.
//! needs: ELEMENT of the operands and the result; ROWS, COLUMNS and K of a product; CAPABILITIES and
//!   EXTENSIONS of the operands' type; the Vulkan memory model
//! provides: MatrixA, MatrixB: operands; MatrixSum: of f32; MatrixResult: of ELEMENT; matrix_fill;
//!   matrix_load_a and _b, from a buffer on, by rows (`by` 0) or columns (1) that are `pitch`
//!   elements of the buffer apart; matrix_store, the same way; matrix_multiply_add; matrix_round
//! threads: all of a workgroup, with the same arguments
#define MATRIX_TYPE extensions = ["SPV_KHR_cooperative_matrix"@EXTENSIONS@], capabilities = [6022@CAPABILITIES@], id = 4456
#define MatrixA spirv_type(MATRIX_TYPE, @ELEMENT@, 2, @ROWS@, @K@, 0)
#define MatrixB spirv_type(MATRIX_TYPE, @ELEMENT@, 2, @K@, @COLUMNS@, 1)
#define MatrixSum spirv_type(MATRIX_TYPE, 32, 2, @ROWS@, @COLUMNS@, 2)
#define MatrixResult spirv_type(MATRIX_TYPE, @ELEMENT@, 2, @ROWS@, @COLUMNS@, 2)
spirv_instruction(id = 4457)
MatrixA matrix_load_a(spirv_by_reference uvec4 from, uint by, uint pitch, spirv_literal uint access);
spirv_instruction(id = 4457)
MatrixB matrix_load_b(spirv_by_reference uvec4 from, uint by, uint pitch, spirv_literal uint access);
spirv_instruction(id = 4458)
void matrix_store(spirv_by_reference uvec4 to, MatrixResult x, uint by, uint pitch, spirv_literal uint access);
spirv_instruction(id = 4459) MatrixSum matrix_multiply_add(MatrixA a, MatrixB b, MatrixSum sum);
spirv_instruction(id = 80) MatrixSum matrix_fill(float x);
spirv_instruction(id = 115) MatrixResult matrix_round(MatrixSum sum);
