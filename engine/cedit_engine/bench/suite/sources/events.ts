type Handler<T> = (payload: T) => void;

export class Emitter<T> {
  private handlers: Map<string, Handler<T>[]> = new Map();

  on(name: string, handler: Handler<T>): void {
    const list = this.handlers.get(name) ?? [];
    list.push(handler);
    this.handlers.set(name, list);
  }

  off(name: string, handler: Handler<T>): void {
    const list = this.handlers.get(name) ?? [];
    this.handlers.set(
      name,
      list.filter((entry) => entry !== handler),
    );
  }

  emit(name: string, payload: T): number {
    const list = this.handlers.get(name) ?? [];
    for (const handler of list) {
      handler(payload);
    }
    return list.length;
  }
}

export interface User {
  id: number;
  name: string;
}

export function greet(user: User): string {
  return "Hello, " + user.name;
}
