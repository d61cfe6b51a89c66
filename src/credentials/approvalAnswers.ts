import type { Memento } from 'vscode';

/** What the user answered, as it is kept: apart from `Approvals`, which loads with the first use. */

export type ApprovalAnswer = 'approved' | 'refused';

type HashedAnswer = readonly [hash: string, answer: ApprovalAnswer];

const ANSWERS = 'hostedModel.approvals';

export function keptAnswers(state: Memento): readonly HashedAnswer[] {
  return state.get(ANSWERS, []);
}

export async function keepAnswers(state: Memento, answers: readonly HashedAnswer[]): Promise<void> {
  await state.update(ANSWERS, answers);
}

/** True if a sign-out would forget an approval, in whichever folder it was given. */
export function hasApprovals(state: Memento): boolean {
  return keptAnswers(state).some(([, answer]) => answer === 'approved');
}
