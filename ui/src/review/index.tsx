// Pages that look back at games: review, practice, import, analysis of a position.

export function ReviewPage({ id }: { id: string }) {
  return <p>{id}</p>;
}

export function PracticePage() {
  return <p />;
}

export function ImportPage() {
  return <p />;
}

export function PositionPage() {
  return <p />;
}
