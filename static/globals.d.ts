// Names that our scripts put on the global object; static/first.js says what they do.

interface Trouble {
  kind: string;
  file: string;
  detail: string;
  url?: string;
}

/** It cannot go on: say what is wrong and what to do, with a Retry. */
declare function normscopeFailed(what: string, advice?: string): void;
/** A trouble in words: what is wrong, and what to do. */
declare function normscopeWords(trouble: Trouble): [string, string];
/** A file is broken: say so, with a Retry that fetches it anew. */
declare function normscopeTrouble(trouble: Trouble): void;
/** The first trouble among the files that the browser loads by itself, or null. */
declare function normscopeCheck(): Promise<Trouble | null>;
/** Something did not work: find the file that is to blame and say so, or else what is given. */
declare function normscopeExplain(what: string, advice?: string): Promise<void>;
/** A sign of life; without another one in time, what is waited for counts as lost. Nothing to wait for: "". */
declare function normscopeWatch(waiting: string, kind?: string, patience?: number): void;

declare var normscope: object;
declare var importShim: ((url: string) => Promise<any>) & { addImportMap(map: object): void };
