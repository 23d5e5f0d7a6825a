// Small drawings of our own, in the colour of the text around them.

export function Logo() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#2c6a4c" />
      <rect x="6" y="7" width="12" height="17" rx="2" fill="#f6f3ea" transform="rotate(-9 12 16)" />
      <rect x="13" y="8" width="12" height="17" rx="2" fill="#f6f3ea" stroke="#2c6a4c" transform="rotate(8 19 16)" />
      <path d="M14.800 16.600q4.400-4.600 8.800 0q-4.400 4.600-8.800 0z" fill="#2c6a4c" />
      <circle cx="19.200" cy="16.600" r="1.500" fill="#f6f3ea" />
    </svg>
  );
}

function Icon({ d }: { d: string }) {
  return (
    <svg width="20" height="20" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
      <path d={d} />
    </svg>
  );
}

export const GearIcon = () => (
  <Icon d="M4 7h9M17 7h3M4 17h3M11 17h9M15 4.500v5M9 14.500v5" />
);
export const CloseIcon = () => <Icon d="M6 6l12 12M18 6L6 18" />;
export const KeysIcon = () => <Icon d="M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M8 14h8" />;
export const PanelIcon = () => <Icon d="M4 6h16M4 12h16M4 18h10" />;
export const DoorIcon = () => <Icon d="M14 4h5v16h-5M4 12h10M10 8l4 4-4 4" />;
export const SkipIcon = () => <Icon d="M5 5l8 7-8 7zM18 5v14" />;

export const FirstIcon = () => <Icon d="M6 5v14M19 5l-9 7 9 7z" />;
export const PreviousIcon = () => <Icon d="M17 5l-10 7 10 7z" />;
export const NextIcon = () => <Icon d="M7 5l10 7-10 7z" />;
export const LastIcon = () => <Icon d="M18 5v14M5 5l9 7-9 7z" />;
