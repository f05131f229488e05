import { Component, type ComponentChildren } from "preact";
import { text } from "../i18n/texts.ts";
import { Button } from "./button.tsx";
import { EmptyState } from "./empty-state.tsx";

/** Limits a failure to one page, so that the navigation around it keeps working. */
export class Boundary extends Component<{ children: ComponentChildren }, { broken: boolean }> {
  override state = { broken: false };

  static override getDerivedStateFromError() {
    return { broken: true };
  }

  override render() {
    if (!this.state.broken) return this.props.children;
    const { app } = text();
    return (
      <div role="alert">
        <EmptyState icon="warning" title={app.brokenTitle} action={<Button onClick={() => location.reload()}>{app.reload}</Button>}>
          {app.brokenText}
        </EmptyState>
      </div>
    );
  }
}
