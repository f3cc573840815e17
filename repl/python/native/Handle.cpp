#include "repl/python/native/Handle.h"

#include "repl/lang/evaluate/Methods.h"
#include "repl/python/native/CallerPlace.h"
#include "repl/python/native/Convert.h"
#include "repl/python/native/Loans.h"
#include "repl/python/native/NotebookPictures.h"
#include "repl/python/native/PythonHost.h"
#include "repl/python/native/Support.h"

#include <algorithm>

namespace lanescope::python {
namespace {

using repl::Arg;
using repl::Value;

struct Handle {
  PyObject_HEAD Value *value;
};

PyTypeObject *handleType = nullptr; // made once, kept until the process ends

const Value &valueOf(PyObject *self) { return *reinterpret_cast<Handle *>(self)->value; }

void deallocate(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  delete reinterpret_cast<Handle *>(self)->value;
  auto release = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
  release(self);
  Py_DECREF(type);
}

/// The result of an evaluator's call as a Python object, or its errors as an exception.
PyObject *give(const Result<Value> &result) { return result ? toPython(*result).release() : raise(result.error()); }

std::optional<repl::Arguments> argumentsOf(PyObject *positional, PyObject *named, const CallPlace &place) {
  repl::Arguments out;
  for (Py_ssize_t i = 0; i < PyTuple_Size(positional); ++i) {
    auto value = fromPython(PyTuple_GetItem(positional, i));
    if (!value)
      return std::nullopt;
    out.positional.push_back({*std::move(value), place.at(static_cast<size_t>(i))});
  }
  PyObject *key = nullptr, *item = nullptr;
  for (Py_ssize_t at = 0; named && PyDict_Next(named, &at, &key, &item);) {
    const char *name = PyUnicode_AsUTF8AndSize(key, nullptr);
    auto value = name ? fromPython(item) : std::nullopt;
    if (!value)
      return std::nullopt;
    Span span = place.at(std::string_view(name));
    out.keyword.push_back({name, span, *std::move(value), span});
  }
  return out;
}

PyObject *call(PyObject *self, PyObject *positional, PyObject *named) {
  CallPlace place = callPlace();
  Loans loans; // the call reads large arrays in Python's memory
  auto arguments = loans.during([&] { return argumentsOf(positional, named, place); });
  if (!arguments || PyErr_CheckSignals() != 0) // Ctrl-C came while the arguments were being read
    return nullptr;
  Value callee = valueOf(self);
  return give(
      Host::get().enter([&](repl::Evaluator &evaluator) { return evaluator.call(callee, *arguments, place.call); }));
}

template <repl::BinaryOp op> PyObject *binary(PyObject *left, PyObject *right) {
  auto a = fromPython(left), b = fromPython(right);
  if (!a || !b)
    return nullptr;
  Span span = callPlace().call;
  return give(Host::get().enter(
      [&](repl::Evaluator &evaluator) { return evaluator.binary(op, {*a, span}, {*b, span}, span); }));
}

PyObject *power(PyObject *left, PyObject *right, PyObject *modulo) {
  if (modulo != Py_None)
    Py_RETURN_NOTIMPLEMENTED;
  return binary<repl::BinaryOp::Power>(left, right);
}

template <repl::UnaryOp op> PyObject *unary(PyObject *self) {
  Value value = valueOf(self);
  Span span = callPlace().call;
  return give(Host::get().enter([&](repl::Evaluator &evaluator) { return evaluator.unary(op, {value, span}, span); }));
}

PyObject *compare(PyObject *left, PyObject *right, int op) {
  auto a = fromPython(left), b = fromPython(right);
  if (!a || !b)
    return nullptr;
  constexpr repl::CompareOp kOps[] = {repl::CompareOp::Less,    repl::CompareOp::LessEqual,
                                      repl::CompareOp::Equal,   repl::CompareOp::NotEqual,
                                      repl::CompareOp::Greater, repl::CompareOp::GreaterEqual};
  Span span = callPlace().call;
  return give(Host::get().enter(
      [&](repl::Evaluator &evaluator) { return evaluator.compare(kOps[op], {*a, span}, {*b, span}, span); }));
}

Py_hash_t hash(PyObject *self) {
  const Value &value = valueOf(self);
  if (auto key = repl::hashKey(value)) {
    Ref text(PyUnicode_FromStringAndSize(key->data(), static_cast<Py_ssize_t>(key->size())));
    return text ? PyObject_Hash(text.get()) : -1;
  }
  auto address = reinterpret_cast<Py_hash_t>(value.asObject()); // an object without a key equals only itself
  if (address == 0)
    PyErr_Format(PyExc_TypeError, "a value of type %s has no hash", value.typeName().c_str());
  return address == 0 ? -1 : address >> 4;
}

int truth(PyObject *self) {
  Value value = valueOf(self);
  Span span = callPlace().call;
  auto out = Host::get().enter([&](repl::Evaluator &evaluator) { return evaluator.truth(value, span); });
  if (out)
    return *out;
  Diagnostics errors = out.error();
  if (errors.front().kind == "staging") { // Python decides the `if` and `while` while the kernel is traced
    errors.front().kind = "type";
    errors.front().message =
        "Python's `if`, `while`, `and` and `or` cannot wait for a value that the kernel computes on "
        "the device; use `pl.when`, `jax.lax.cond`, `jax.lax.while_loop` or `jnp.where`";
  }
  raise(errors);
  return -1;
}

PyObject *textOf(const std::string &text) {
  return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
}

PyObject *repr(PyObject *self) {
  Value value = valueOf(self);
  return textOf(Host::get().enter([&](repl::Evaluator &) { return repl::repr(value); }));
}

PyObject *str(PyObject *self) {
  Value value = valueOf(self);
  return textOf(Host::get().enter([&](repl::Evaluator &) { return repl::str(value); }));
}

/// A builtin about layouts as a method of a layout: `WGMMA.owners(shape, index)` is `owners(WGMMA, shape, index)`.
PyObject *layoutFunction(PyObject *self, const std::string &name) {
  const repl::Builtin *builtin = Host::get().evaluator().findBuiltin(name);
  if (!valueOf(self).asLayout() || !builtin || !builtin->call || (builtin->group != "layouts" && name != "show"))
    return nullptr;
  Ref function = makeHandle(*Host::get().evaluator().builtin(name));
  Ref pair(function ? PyTuple_Pack(2, function.get(), self) : nullptr);
  return callSupport("bound", std::move(pair));
}

PyObject *attribute(PyObject *self, PyObject *key) {
  const char *name = PyUnicode_AsUTF8AndSize(key, nullptr);
  if (!name || name[0] == '_')
    return PyObject_GenericGetAttr(self, key);
  Value value = valueOf(self);
  Span span = callPlace().call;
  auto out = Host::get().enter([&](repl::Evaluator &evaluator) { return evaluator.attribute(value, name, span); });
  if (out)
    return toPython(*out).release();
  if (PyObject *method = layoutFunction(self, name); method || PyErr_Occurred())
    return method;
  const std::string &kind = out.error().front().kind;
  if (kind == "attribute" || kind == "no-attribute" ||
      !value.asObject()) { // hasattr(), and getattr() with a default, rely on the AttributeError
    PyErr_SetString(PyExc_AttributeError, out.error().front().message.c_str());
    return nullptr;
  }
  return raise(out.error());
}

int setAttribute(PyObject *self, PyObject *key, PyObject *given) {
  const char *name = PyUnicode_AsUTF8AndSize(key, nullptr);
  repl::Object *object = valueOf(self).asObject();
  if (!name || !given || !object) {
    PyErr_Format(PyExc_AttributeError, "attributes of a value of type %s cannot be changed",
                 valueOf(self).typeName().c_str());
    return -1;
  }
  auto value = fromPython(given);
  if (!value)
    return -1;
  Span span = callPlace().call;
  auto done = Host::get().enter([&](repl::Evaluator &evaluator) {
    repl::Context context{evaluator, span};
    return object->setAttribute(context, name, {*value, span});
  });
  if (!done)
    raise(done.error());
  return done ? 0 : -1;
}

PyObject *getItem(PyObject *self, PyObject *key) {
  auto index = fromPython(key);
  if (!index)
    return nullptr;
  Value value = valueOf(self);
  Span span = callPlace().call;
  return give(Host::get().enter(
      [&](repl::Evaluator &evaluator) { return evaluator.getItem({value, span}, {*index, span}, span); }));
}

int setItem(PyObject *self, PyObject *key, PyObject *given) {
  auto index = given ? fromPython(key) : std::nullopt;
  auto item = index ? fromPython(given) : std::nullopt;
  if (!item) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_TypeError, "items of a Lanescope value cannot be deleted");
    return -1;
  }
  Value value = valueOf(self);
  Span span = callPlace().call;
  auto done = Host::get().enter([&](repl::Evaluator &evaluator) -> Result<void> {
    repl::Context context{evaluator, span};
    if (repl::Object *object = value.asObject())
      return object->setItem(context, {*index, span}, {*item, span});
    return repl::setItemOf(evaluator, {value, span}, {*index, span}, {*item, span}, span);
  });
  if (!done)
    raise(done.error());
  return done ? 0 : -1;
}

Py_ssize_t length(PyObject *self) {
  Value value = valueOf(self);
  Span span = callPlace().call;
  auto out = Host::get().enter([&](repl::Evaluator &evaluator) -> Result<int64_t> {
    repl::Context context{evaluator, span};
    if (repl::Object *object = value.asObject())
      return object->length(context);
    if (const core::Array *array = value.asArray(); array && !array->shape.empty())
      return array->shape[0];
    return context.fail("type", Message("`{type}` has no length", value.typeName()));
  });
  if (out)
    return static_cast<Py_ssize_t>(*out);
  PyErr_SetString(PyExc_TypeError, out.error().front().message.c_str());
  return -1;
}

PyObject *iterate(PyObject *self) {
  Value value = valueOf(self);
  Span span = callPlace().call;
  auto items = Host::get().enter([&](repl::Evaluator &evaluator) { return evaluator.iterate(value, span); });
  if (!items)
    return raise(items.error());
  Ref list = toPython(Value::list(*std::move(items)));
  return list ? PyObject_GetIter(list.get()) : nullptr;
}

PyObject *enter(PyObject *self, PyObject *) {
  Value value = valueOf(self);
  repl::Object *object = value.asObject();
  if (!object)
    return PyErr_Format(PyExc_TypeError, "a value of type %s is no context manager", value.typeName().c_str());
  Span span = callPlace().call;
  return give(Host::get().enter([&](repl::Evaluator &evaluator) {
    repl::Context context{evaluator, span};
    return object->enter(context);
  }));
}

PyObject *leave(PyObject *self, PyObject *arguments) {
  Value value = valueOf(self);
  PyObject *type = PyTuple_GetItem(arguments, 0);
  Span span = callPlace().call;
  auto done = Host::get().enter([&](repl::Evaluator &evaluator) {
    repl::Context context{evaluator, span};
    return value.asObject()->exit(context);
  });
  if (!done && type == Py_None)
    return raise(done.error());
  Py_RETURN_FALSE;
}

PyObject *directory(PyObject *self, PyObject *) {
  std::vector<Value> names;
  for (const std::string &name : repl::members(valueOf(self)))
    names.emplace_back(name);
  if (valueOf(self).asLayout())
    for (const repl::Builtin &builtin : Host::get().evaluator().builtins())
      if (builtin.call && (builtin.group == "layouts" || builtin.name == "show"))
        names.emplace_back(builtin.name);
  return toPython(Value::list(std::move(names))).release();
}

PyObject *html(PyObject *self, PyObject *) {
  Value value = valueOf(self);
  auto page = Host::get().enter([&](repl::Evaluator &) { return pageOf(value); });
  if (page)
    return callSupport("frame", Ref(textOf(*page)));
  Py_RETURN_NONE; // the notebook then shows the value's text
}

PyObject *pretty(PyObject *self, PyObject *) {
  Value value = valueOf(self);
  return textOf(Host::get().enter([&](repl::Evaluator &) { return Host::get().session().render(value); }));
}

PyObject *asArray(PyObject *self, PyObject *arguments) {
  Ref pair(PyTuple_Pack(2, self, arguments));
  return callSupport("array_interface", std::move(pair));
}

/// The format of an element in Python's `struct` module; null if the module lacks the dtype.
const char *formatOf(layouts::Dtype dtype) {
  switch (dtype) {
    using enum layouts::Dtype;
  case I1: return "?";
  case I8: return "b";
  case I16: return "h";
  case I32: return "i";
  case I64: return "q";
  case U8: return "B";
  case U16: return "H";
  case U32: return "I";
  case U64: return "Q";
  case F16: return "e";
  case F32:
  case TF32: return "f";
  case F64: return "d";
  default: return nullptr;
  }
}

/// The sizes and strides that a buffer's view points to. They live as long as the view.
struct ViewShape {
  std::vector<Py_ssize_t> sizes, strides;
  explicit ViewShape(const core::Array &array, Py_ssize_t itemSize)
      : sizes(array.shape.begin(), array.shape.end()), strides(sizes.size()) {
    for (size_t i = sizes.size(); i-- > 0; itemSize *= sizes[i])
      strides[i] = itemSize;
  }
};

/// Exposes the elements row by row. A request without a format gets bytes. A request for a format fails if Python has
/// no format for the dtype; `numpy.asarray` then uses `__array__`.
int getBuffer(PyObject *self, Py_buffer *view, int flags) {
  const core::Array *array = valueOf(self).asArray();
  if (!array) {
    PyErr_Format(PyExc_BufferError, "a value of type %s is no array", valueOf(self).typeName().c_str());
    return -1;
  }
  // The view may be written, and outlives loans. Memory that is lent must not get there.
  std::byte *bytes = const_cast<core::Array *>(array)->bytes.data();
  if (PyBuffer_FillInfo(view, self, bytes, static_cast<Py_ssize_t>(array->bytes.size()), 0, flags) != 0)
    return -1;
  if ((flags & PyBUF_FORMAT) == 0)
    return 0;
  const char *format = formatOf(array->dtype);
  if (!format) {
    PyBuffer_Release(view);
    PyErr_Format(PyExc_BufferError, "Python has no format for elements of %s: `.astype(f32)` makes some that it has",
                 std::string(layouts::name(array->dtype)).c_str());
    return -1;
  }
  const int64_t count = std::max<int64_t>(array->size(), 1);
  view->format = const_cast<char *>(format);
  view->itemsize = std::max<Py_ssize_t>(static_cast<Py_ssize_t>(array->bytes.size()) / count, 1);
  auto *shape = new ViewShape(*array, view->itemsize);
  view->ndim = static_cast<int>(array->shape.size());
  view->shape = shape->sizes.data();
  view->strides = shape->strides.data();
  view->internal = shape;
  return 0;
}

void releaseBuffer(PyObject *, Py_buffer *view) { delete static_cast<ViewShape *>(view->internal); }

PyMethodDef methods[] = {
    {"__enter__", enter, METH_NOARGS, nullptr},
    {"__exit__", leave, METH_VARARGS, nullptr},
    {"__dir__", directory, METH_NOARGS, nullptr},
    {"__array__", asArray, METH_VARARGS, nullptr},
    {"_repr_html_", html, METH_NOARGS, nullptr},
    {"_text_", pretty, METH_NOARGS, "The text that the REPL writes for the value."},
    {nullptr, nullptr, 0, nullptr},
};

template <typename F> void *slot(F *function) { return reinterpret_cast<void *>(function); }

PyType_Slot slots[] = {
    {Py_tp_doc,
     const_cast<char *>("A value of Lanescope's: a layout, dtype, function, kernel, result or traced array.")},
    {Py_tp_dealloc, slot(deallocate)},
    {Py_tp_call, slot(call)},
    {Py_tp_repr, slot(repr)},
    {Py_tp_str, slot(str)},
    {Py_tp_hash, slot(hash)},
    {Py_tp_richcompare, slot(compare)},
    {Py_tp_getattro, slot(attribute)},
    {Py_tp_setattro, slot(setAttribute)},
    {Py_tp_iter, slot(iterate)},
    {Py_tp_methods, methods},
    {Py_mp_subscript, slot(getItem)},
    {Py_mp_ass_subscript, slot(setItem)},
    {Py_mp_length, slot(length)},
    {Py_bf_getbuffer, slot(getBuffer)},
    {Py_bf_releasebuffer, slot(releaseBuffer)},
    {Py_nb_bool, slot(truth)},
    {Py_nb_add, slot(binary<repl::BinaryOp::Add>)},
    {Py_nb_subtract, slot(binary<repl::BinaryOp::Subtract>)},
    {Py_nb_multiply, slot(binary<repl::BinaryOp::Multiply>)},
    {Py_nb_true_divide, slot(binary<repl::BinaryOp::Divide>)},
    {Py_nb_floor_divide, slot(binary<repl::BinaryOp::FloorDivide>)},
    {Py_nb_remainder, slot(binary<repl::BinaryOp::Modulo>)},
    {Py_nb_power, slot(power)},
    {Py_nb_matrix_multiply, slot(binary<repl::BinaryOp::MatrixMultiply>)},
    {Py_nb_and, slot(binary<repl::BinaryOp::BitAnd>)},
    {Py_nb_or, slot(binary<repl::BinaryOp::BitOr>)},
    {Py_nb_xor, slot(binary<repl::BinaryOp::BitXor>)},
    {Py_nb_lshift, slot(binary<repl::BinaryOp::ShiftLeft>)},
    {Py_nb_rshift, slot(binary<repl::BinaryOp::ShiftRight>)},
    {Py_nb_negative, slot(unary<repl::UnaryOp::Negate>)},
    {Py_nb_positive, slot(unary<repl::UnaryOp::Plus>)},
    {Py_nb_invert, slot(unary<repl::UnaryOp::Invert>)},
    {0, nullptr},
};

PyType_Spec spec = {.name = "lanescope.Value",
                    .basicsize = sizeof(Handle),
                    .itemsize = 0,
                    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                    .slots = slots};

} // namespace

bool addHandleType(PyObject *module) {
  PyObject *type = PyType_FromSpec(&spec);
  if (!type || PyModule_AddObjectRef(module, "Value", type) != 0)
    return false;
  handleType = reinterpret_cast<PyTypeObject *>(type);
  return true;
}

Ref makeHandle(Value value) {
  auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(handleType, Py_tp_alloc));
  Ref out(allocate(handleType, 0));
  if (out)
    reinterpret_cast<Handle *>(out.get())->value = new Value(std::move(value));
  return out;
}

const Value *handleValue(PyObject *object) {
  return Py_TYPE(object) == handleType ? reinterpret_cast<Handle *>(object)->value : nullptr;
}

} // namespace lanescope::python
