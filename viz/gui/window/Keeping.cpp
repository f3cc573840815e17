#include "viz/gui/window/Keeping.h"

#include <algorithm>

namespace lanescope::viz {

WorkspaceState stateOf(Workspace &workspace) {
  WorkspaceState out;
  out.files = workspace.openedFiles;
  for (const ParameterControl &each : workspace.live.parameters())
    if (each.value != each.initial)
      out.parameters[each.name] = each.value;
  for (const ViewEntry &entry : views())
    if (entry.id == workspace.models.front)
      out.view = entry.name;
  out.pictures = workspace.models.explorer.viewText();
  if (const TimelineModel &timeline = workspace.models.timeline; !timeline.empty())
    out.range = {timeline.view().begin, timeline.view().end};
  out.editor = workspace.editorOpen;
  out.line = workspace.models.editor.cursor().line, out.column = workspace.models.editor.cursor().byte;
  out.arrangement = workspace.arrangement;
  out.pictureOrder = workspace.models.explorer.paneOrder(), out.textOrder = workspace.models.code.order;
  out.dark = workspace.wantDark, out.scale = workspace.wantScale;
  return out;
}

void restore(Workspace &workspace, WorkspaceState state) {
  workspace.arrangement = state.arrangement, workspace.editorOpen = state.editor;
  workspace.models.explorer.setPaneOrder(state.pictureOrder);
  workspace.models.code.order = state.textOrder;
  workspace.wantDark = state.dark, workspace.wantScale = state.scale;
  for (const auto &[name, value] : state.parameters)
    workspace.host.setParameter(name, value);
  workspace.toOpen.assign(state.files.begin(), state.files.end());
  workspace.restoring = std::move(state);
}

void finishRestoring(Workspace &workspace, const WorkspaceState &state) {
  if (!state.pictures.empty())
    workspace.models.explorer.paste(state.pictures, workspace.requests);
  if (state.range && !workspace.models.timeline.empty())
    workspace.models.timeline.setView({state.range->first, state.range->second});
  workspace.models.editor.moveTo({state.line, state.column});
  for (const ViewEntry &entry : views())
    if (state.view == entry.name)
      workspace.bringToFront(entry.id);
}

} // namespace lanescope::viz
