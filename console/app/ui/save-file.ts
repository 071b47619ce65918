/** Has the browser save files: what was made here, and what the service gives. */

export function saveCsv(name: string, text: string): void {
  saveFile(new Blob([text], { type: 'text/csv' }), name);
}

export function saveFile(bytes: Blob, name: string): void {
  const address = URL.createObjectURL(bytes);
  saveAddress(address, name);
  URL.revokeObjectURL(address);
}

/** @param name the service names the file when absent */
export function saveAddress(address: string, name = ''): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
}
