/** Opens the hosted connect page, the one that customers use, in this tab; it comes back to the console. */
import { useMutation } from '@tanstack/react-query';
import { useTRPC } from '../../data/trpc.ts';

export function useConnect() {
  return useMutation(
    useTRPC().connect.createLink.mutationOptions({ onSuccess: ({ url }) => window.location.assign(url) }),
  );
}
