// Names that our scripts put on the global object.
declare global {
  var normscopeFailed: (what: string, detail?: string) => void;
  var normscope: object;
}
export {};
