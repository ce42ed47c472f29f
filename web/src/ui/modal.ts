/** Modal dialogs. Behind one that is open, keys do nothing; to look for it would walk the whole page at each key. */
const shown = new Set<HTMLDialogElement>();

export function showModal(dialog: HTMLDialogElement): void {
    shown.add(dialog);
    dialog.showModal();
}

/** Whether one of them is open. */
export function modal(): boolean {
    for (const dialog of shown) if (!dialog.open || !dialog.isConnected) shown.delete(dialog);
    return shown.size > 0;
}
