// Names that our scripts put on the global object.
declare global {
  var normscopeFailed: (what: string, detail?: string) => void;
  var normscope: object;
  var importShim: ((url: string) => Promise<any>) & { addImportMap(map: object): void };
}
export {};
