/** Starts a view in the frame that the host of a chat gives it: waits for the result of its tool, and shows it. */
import { Component, type ComponentType, type ReactNode, useLayoutEffect, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { isZone } from '../ui/zoned.ts';
import { ZONE } from '../ui/times.ts';
import { TriangleAlert } from '../ui/icons.tsx';
import { answerOf, wordsOf } from './answer.ts';
import { type Arguments, connectHost, type Host, type HostState } from './host.ts';
import { applyTheme } from './theme.ts';
import './chat.css';

export interface ChatViewProps<Answer> {
  /** The body of the tool's answer. */
  readonly answer: Answer;
  /** Arguments that the tool was called with; empty when the host does not say. */
  readonly input: Arguments;
  readonly host: Host;
  readonly state: HostState;
  /** IANA time zone of the person. */
  readonly zone: string;
}

/** @param name of the view: that of its folder, and of its row in mcp/views.ts */
export function mountChatView<Answer>(name: string, View: ComponentType<ChatViewProps<Answer>>): void {
  const place = document.querySelector('#app');
  if (place === null) throw new Error('The page has no place for the view.');
  const host = connectHost(name);
  createRoot(place).render(
    <main className="chat">
      <h1 className="visually-hidden">{document.title}</h1>
      <Guard>
        <Frame host={host} View={View as ComponentType<ChatViewProps<unknown>>} />
      </Guard>
    </main>,
  );
}

function Frame({ host, View }: { host: Host; View: ComponentType<ChatViewProps<unknown>> }) {
  const state = useSyncExternalStore(host.subscribe, host.read);
  const { context, input, result, isCancelled } = state;
  useLayoutEffect(() => {
    if (context.theme !== undefined) applyTheme(context.theme);
  }, [context.theme]);
  if (result === null) {
    return (
      <p className="hint" role="status">
        {isCancelled ? 'The call was cancelled.' : 'Waiting for the answer of the tool.'}
      </p>
    );
  }
  const answer = answerOf(result);
  if (answer === null) return <Failure>{wordsOf(result)}</Failure>;
  const { timeZone } = context;
  const zone = timeZone !== undefined && isZone(timeZone) ? timeZone : ZONE;
  return <View answer={answer} input={input ?? {}} host={host} state={state} zone={zone} />;
}

/** Why there is nothing to show. */
export function Failure({ children }: { children: string }) {
  return (
    <div className="problem" role="alert">
      <p className="problem-message">
        <TriangleAlert aria-hidden size={18} />
        <span dir="auto">{children}</span>
      </p>
    </div>
  );
}

/** A host may send an answer of another version, which a view cannot read. */
class Guard extends Component<{ readonly children: ReactNode }, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    return this.state.hasFailed ? (
      <Failure>This answer cannot be shown here. Read it in the chat.</Failure>
    ) : (
      this.props.children
    );
  }
}
