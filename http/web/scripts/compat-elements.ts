import type { CompatElement, CompatElements, ElementEvent, ElementHandler, ElementsOptions } from "./compat.d.ts";

/** Pages wait for these to be complete before they enable their button; each is, since nothing is entered in it. */
const CARD_FORMS: ReadonlySet<string> = new Set(["payment", "card", "cardNumber", "cardExpiry", "cardCvc"]);
/** One notice for a form, not one for each field. */
const WITH_NOTICE: ReadonlySet<string> = new Set(["payment", "card", "cardNumber"]);

const NOTICES = {
  en: "You will enter your card on the secure payment page in the next step.",
  it: "Inserirai la carta nella pagina di pagamento sicura, al passaggio successivo.",
} as const;

/** The secret that each group of elements was made with. */
const SECRETS = new WeakMap<object, () => string | null>();

/** The secret of a group that this script has made; null for anything else. */
export function secretOf(elements: unknown): string | null {
  return typeof elements === "object" && elements !== null ? (SECRETS.get(elements)?.() ?? null) : null;
}

export function createElements(options: ElementsOptions, locale: string | undefined): CompatElements {
  const live = new Map<string, CompatElement>();
  let { clientSecret } = options;
  const group: CompatElements = {
    create(type) {
      const element = createElement(type, noticeFor(options.locale ?? locale), () => {
        if (live.get(type) === element) live.delete(type);
      });
      live.set(type, element);
      return element;
    },
    getElement: (type) => live.get(typeName(type)) ?? null,
    async update(changed) {
      if ("clientSecret" in changed && typeof changed.clientSecret === "string") clientSecret = changed.clientSecret;
    },
    submit: async () => ({}),
    fetchUpdates: async () => ({}),
    on() {},
  };
  SECRETS.set(group, () => clientSecret ?? null);
  return group;
}

/** A component of the platform's wrapper for React says its type in this member. */
function typeName(type: unknown): string {
  if (typeof type === "function" && "__elementType" in type) return String(type.__elementType);
  return String(type);
}

function noticeFor(locale: string | undefined): string {
  const language = locale === undefined || locale === "auto" ? navigator.language : locale;
  return /^it\b/i.test(language) ? NOTICES.it : NOTICES.en;
}

function createElement(type: string, notice: string, destroyed: () => void): CompatElement {
  const handlers = new Map<string, Set<ElementHandler>>();
  /** Events that nobody has listened to yet. Wrappers begin to listen after they have mounted. */
  const untold = new Map<string, ElementEvent>();
  let box: HTMLElement | null = null;

  const tell = (name: string, event: ElementEvent) => {
    const listening = [...(handlers.get(name) ?? [])];
    if (listening.length === 0) untold.set(name, event);
    for (const handler of listening) handler(event);
  };
  const tellSoon = (name: string, event: ElementEvent, mounted: HTMLElement) =>
    setTimeout(() => {
      if (box === mounted) tell(name, event);
    });
  const unmount = () => {
    box?.remove();
    box = null;
    untold.clear();
  };

  const element: CompatElement = {
    mount(target) {
      const parent = typeof target === "string" ? document.querySelector(target) : target;
      if (parent === null) throw new Error(`There is nothing at ${String(target)} to mount the element into.`);
      unmount();
      box = document.createElement("div");
      if (WITH_NOTICE.has(type)) box.append(paragraph(notice));
      parent.replaceChildren(box);
      tellSoon("ready", { elementType: type }, box);
      if (!CARD_FORMS.has(type)) return;
      const complete = { elementType: type, complete: true, empty: false, collapsed: false, error: undefined, value: { type: "card" } };
      tellSoon("change", complete, box);
    },
    unmount,
    destroy() {
      unmount();
      handlers.clear();
      destroyed();
    },
    update() {},
    on(event, handler) {
      if (handler === undefined) return element;
      handlers.set(event, (handlers.get(event) ?? new Set()).add(handler));
      const missed = untold.get(event);
      untold.delete(event);
      if (missed !== undefined && box !== null) tellSoon(event, missed, box);
      return element;
    },
    once(event, handler) {
      if (handler === undefined) return element;
      const first: ElementHandler = (told) => {
        element.off(event, first);
        handler(told);
      };
      return element.on(event, first);
    },
    off(event, handler) {
      if (handler === undefined) handlers.delete(event);
      else handlers.get(event)?.delete(handler);
      return element;
    },
    focus() {},
    blur() {},
    clear() {},
    collapse() {},
  };
  return element;
}

/** Without colours of its own, so that it is as readable as the page around it. */
function paragraph(text: string): HTMLElement {
  const made = document.createElement("p");
  made.textContent = text;
  Object.assign(made.style, { margin: "0", padding: "0.75em", border: "1px solid", borderRadius: "0.375em" });
  return made;
}
