/** Has a file checked or imported, and keeps it for later steps. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTRPC, useTRPCClient } from '../../data/trpc.ts';
import { useSession } from '../../shell/session-context.ts';
import { toast } from '../../ui/toasts.tsx';
import { type FileRequest, keepFile } from './kept-file.ts';

export function useStart() {
  const api = useTRPCClient();
  const trpc = useTRPC();
  const session = useSession();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ request, dryRun }: { request: FileRequest; dryRun: boolean }) =>
      api.imports.start.mutate({ ...request, dryRun }),
    onSuccess: ({ import: { id } }, { request }) => {
      if (!keepFile(session, id, request)) {
        toast('This browser has no room to keep the file. Keep this page open until the import has begun.');
      }
    },
    onSettled: () => queryClient.invalidateQueries(trpc.imports.pathFilter()),
  });
}
