"""Runs a bundle of one input and one output through libvkr's shared library: LIBRARY BUNDLE INPUT OUTPUT.

Only ctypes and what vkr.h says are used. INPUT is a file of raw bytes, OUTPUT gets those of the result. Exits with 77
and a reason where there is no Vulkan device.
"""
import ctypes
import sys

library, bundle, source, target = sys.argv[1:]
vkr = ctypes.CDLL(library)


class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("message", ctypes.c_char * 512)]


vkr.vkr_version.restype = ctypes.c_char_p
vkr.vkr_status_name.restype = ctypes.c_char_p
vkr.vkr_feature_name.restype = ctypes.c_char_p
vkr.vkr_program_unload.restype = vkr.vkr_device_close.restype = None
NO_DEVICE = 6
error = Error()


def call(function, *arguments):
    status = function(*arguments, ctypes.byref(error))
    if status == NO_DEVICE:
        print(error.message.decode())
        sys.exit(77)
    if status:
        sys.exit(f"{function.__name__}: {vkr.vkr_status_name(status).decode()}: {error.message.decode()}")


print("libvkr", vkr.vkr_version().decode(), "from Python", sys.version.split()[0])
assert vkr.vkr_feature_name(1) == b"f64" and vkr.vkr_feature_name(3) is None
device, program = ctypes.c_void_p(), ctypes.c_void_p()
inputs, outputs = (ctypes.c_uint64 * 1)(), (ctypes.c_uint64 * 1)()
size = ctypes.c_uint64()
call(vkr.vkr_device_open, None, ctypes.byref(device))
data = open(bundle, "rb").read()
call(vkr.vkr_program_load, device, data, ctypes.c_size_t(len(data)), ctypes.byref(program))
assert vkr.vkr_program_inputs(program) == 1 and vkr.vkr_program_outputs(program) == 1
data = open(source, "rb").read()
call(vkr.vkr_buffer_create, device, data, ctypes.c_uint64(len(data)), inputs)
call(vkr.vkr_run, program, inputs, 1, outputs, 1, None)
call(vkr.vkr_buffer_byte_size, device, ctypes.c_uint64(outputs[0]), ctypes.byref(size))
result = ctypes.create_string_buffer(size.value)
call(vkr.vkr_buffer_read, device, ctypes.c_uint64(outputs[0]), ctypes.c_uint64(0), result, size)
with open(target, "wb") as file:
    file.write(result.raw)
vkr.vkr_program_unload(program)
vkr.vkr_device_close(device)
