"""The function by which machine code finds Python objects that it has as pickles, such as the classes of results."""

from __future__ import annotations

from ctypes import c_ssize_t, sizeof
from functools import cache

import llvmlite.binding as llvm

# PyObject *numba_unpickle(const char *data, int size, const char *digest): looked up by address in the dictionary
# `evenscore_unpickled`, and entered there by calling `evenscore_loads`.  In numba, and in any other function of
# Python's, a Ctrl-C that came while a kernel ran would be raised here, where the kernel takes it for an object.
# Loading runs no function of Python's either: the modules of these classes are imported; only an audit hook sees it.
_SOURCE = """
@evenscore_unpickled = external global i8
@evenscore_loads = external global i8
declare PTR @PyLong_FromVoidPtr(PTR)
declare PTR @PyDict_GetItemWithError(PTR, PTR)
declare i32 @PyDict_SetItem(PTR, PTR, PTR)
declare PTR @PyBytes_FromStringAndSize(PTR, SIZE)
declare PTR @PyObject_CallFunctionObjArgs(PTR, ...)
declare void @Py_IncRef(PTR)
declare void @Py_DecRef(PTR)

define PTR @numba_unpickle(PTR %data, i32 %size, PTR %digest) {
  %key = call PTR @PyLong_FromVoidPtr(PTR %data)
  %known = call PTR @PyDict_GetItemWithError(PTR @evenscore_unpickled, PTR %key)
  %unknown = icmp eq PTR %known, null
  br i1 %unknown, label %load, label %take
take:
  call void @Py_IncRef(PTR %known)
  br label %end
load:
  %length = sext i32 %size to SIZE
  %pickled = call PTR @PyBytes_FromStringAndSize(PTR %data, SIZE %length)
  %loaded = call PTR (PTR, ...) @PyObject_CallFunctionObjArgs(PTR @evenscore_loads, PTR %pickled, PTR null)
  call void @Py_DecRef(PTR %pickled)
  %failed = icmp eq PTR %loaded, null
  br i1 %failed, label %end, label %keep
keep:
  %status = call i32 @PyDict_SetItem(PTR @evenscore_unpickled, PTR %key, PTR %loaded)
  br label %end
end:
  %found = phi PTR [ %known, %take ], [ null, %load ], [ %loaded, %keep ]
  call void @Py_DecRef(PTR %key)
  ret PTR %found
}
"""


@cache
def unpickling_code() -> bytes:
    """Its object file, for this process and those that load what it keeps."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    # Before LLVM 17 pointers may have types, and before LLVM 15 they must.
    pointer = "ptr" if llvm.llvm_version_info >= (17,) else "i8*"
    module = llvm.parse_assembly(_SOURCE.replace("PTR", pointer).replace("SIZE", f"i{8 * sizeof(c_ssize_t)}"))
    target = llvm.Target.from_default_triple()
    # As numba has it for code in memory: on x86 addresses are put in when it is loaded.
    relocation = "static" if target.name.startswith("x86") else "default"
    code: bytes = target.create_target_machine(reloc=relocation, codemodel="jitdefault", jit=True).emit_object(module)
    return code
