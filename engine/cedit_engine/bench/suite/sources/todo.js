class TodoList {
  constructor() {
    this.items = [];
    this.nextId = 1;
  }

  add(title) {
    const item = { id: this.nextId++, title, done: false };
    this.items.push(item);
    return item;
  }

  complete(id) {
    const item = this.items.find((entry) => entry.id === id);
    if (item) {
      item.done = true;
    }
  }

  remove(id) {
    this.items = this.items.filter((entry) => entry.id === id);
  }

  pending() {
    return this.items.filter((entry) => !entry.done);
  }
}

function describe(list) {
  const open = list.pending().length;
  return `${open} of ${list.items.length} open`;
}

module.exports = { TodoList, describe };
