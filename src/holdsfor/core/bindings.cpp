// The Python module of the core.
#include "bindings_core.h"

namespace nb = nanobind;

NB_MODULE(_core, module) {
  // Objects that are alive at interpreter exit are not leaks.
  nb::set_leak_warnings(false);
  using holdsfor::Core;
  using holdsfor::Value;
  module.def("interval_ids", &holdsfor::ids_of_intervals);
  holdsfor::bind_changes(module);
  holdsfor::bind_trace(module);
  module.def("codes_of_words", &holdsfor::codes_of_words);
  nb::class_<Core>(module, "Core", nb::is_weak_referenceable())
      .def(nb::init<nb::bytes, nb::object, bool, const Core*>(), nb::arg("plan"), nb::arg("host"),
           nb::arg("is_traced") = false, nb::arg("like").none() = nb::none())
      .def("name", &Core::name)
      .def("integer", &Core::integer)
      .def("real", &Core::real)
      .def("big_integer", &Core::big_integer)
      .def("compound", &Core::compound)
      .def("list", &Core::list)
      .def("partial_list", &Core::partial_list)
      .def("words", &Core::words)
      .def("words_of_reals", &Core::words_of_reals)
      .def("values", &Core::values)
      .def("table_events", &Core::table_events)
      .def("describe", &Core::describe)
      .def("length", &Core::length)
      .def("failures", &Core::failures)
      .def("forget_answers", &Core::forget_answers)
      .def_prop_ro("terms", &Core::terms)
      .def("reclaim_terms", &Core::reclaim_terms, nb::arg("keep"))
      .def("set_window", &Core::set_window, nb::arg("size").none(), nb::arg("start") = nb::none())
      .def("insert_events", &Core::edit_events<false>, nb::arg("table"), nb::arg("times"), nb::arg("words"),
           nb::arg("is_correction") = false, nb::arg("is_cause") = true)
      .def("retract_events", &Core::edit_events<true>, nb::arg("table"), nb::arg("times"), nb::arg("words"),
           nb::arg("is_correction") = false, nb::arg("is_cause") = true)
      .def("push_facts", &Core::push_facts)
      .def("insert_intervals", &Core::edit_intervals<false>, nb::arg("table"), nb::arg("starts"), nb::arg("ends"),
           nb::arg("values"), nb::arg("words"), nb::arg("is_point"), nb::arg("is_correction") = false,
           nb::arg("is_cause") = true)
      .def("retract_intervals", &Core::edit_intervals<true>, nb::arg("table"), nb::arg("starts"), nb::arg("ends"),
           nb::arg("values"), nb::arg("words"), nb::arg("is_point"), nb::arg("is_correction") = false,
           nb::arg("is_cause") = true)
      .def("push_one", &Core::edit_one<false>)
      .def("retract_one", &Core::edit_one<true>)
      .def("advance", &Core::advance, nb::arg("query"), nb::arg("threads") = 1U, nb::arg("is_last") = false)
      .def("set_share", &Core::set_share, nb::arg("stage"), nb::arg("bucket"), nb::arg("buckets"), nb::arg("sides"),
           nb::arg("ties") = std::vector<Core::Ties>())
      .def("targets", &Core::targets)
      .def("receive", &Core::receive)
      .def("deliveries_for", &Core::deliveries_for)
      .def("save_rest", &Core::save_rest, nb::arg("note") = Value::nothing().word())
      .def("save_keys", &Core::save_keys)
      .def("load_share", &Core::load_share, nb::arg("saved"), nb::arg("plan").none() = nb::none())
      .def("reached", &Core::reached)
      .def("next_wake", &Core::next_wake)
      .def("mark_all_dirty", &Core::mark_all_dirty)
      .def("begin_at", &Core::begin_at, nb::arg("origin"))
      .def("resume_at", &Core::resume_at, nb::arg().none())
      .def("checkpoint_cells", &Core::checkpoint_cells, nb::arg().none())
      .def("replan", &Core::replan)
      .def("final_until", &Core::final_until)
      .def("has_all_rows", &Core::has_all_rows)
      .def("settle_at", &Core::settle_at)
      .def("retire", &Core::retire)
      .def("succeed", &Core::succeed, nb::arg("earlier"), nb::arg("tables"), nb::arg("has_state"), nb::arg("delays"),
           nb::arg("border").none(), nb::arg("is_main"))
      .def("resume", &Core::resume, nb::arg("threads") = 1U)
      .def("refine", &Core::refine)
      .def("keep_profile", &Core::keep_profile)
      .def("profile", &Core::profile)
      .def("answers", &Core::answers, nb::arg("table"), nb::arg("threads") = 1U)
      .def("result_rows", &Core::result_rows)
      .def("trace", &Core::trace, nb::keep_alive<0, 1>())
      .def("conflicts", &Core::conflicts)
      .def("keep_changes", &Core::keep_changes)
      .def("changes", &Core::changes, nb::arg("most_causes") = std::size_t{8})
      .def("report_only", &Core::report_only)
      .def("keep_event_changes", &Core::keep_event_changes)
      .def("event_changes", &Core::event_changes)
      .def("lost", &Core::lost)
      .def("speller", &Core::speller, nb::keep_alive<0, 1>())
      .def("save", &Core::save, nb::arg("note") = Value::nothing().word())
      .def("load", &Core::load)
      .def("split", &Core::split, nb::arg("parts"), nb::arg("note") = Value::nothing().word())
      .def("merge", &Core::merge)
      .def("kept", &Core::kept)
      .def_prop_ro("carried", &Core::carried)
      .def_prop_ro("late", &Core::late)
      .def_prop_ro("unmatched", &Core::unmatched)
      .def_prop_ro("evaluated", &Core::evaluated)
      .def_prop_ro("time_points", &Core::time_points)
      .def_prop_ro("keys", &Core::keys)
      .def_prop_ro("rows", &Core::rows);
}
