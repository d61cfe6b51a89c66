#!/bin/sh
# Executable for @vscode/test-electron, which can't start TypeScript. The Node that an
# `env node` line finds may be too old.
exec "${HOSTED_MODEL_NODE:-node}" "$(dirname "$0")/run-in-server.ts" "$@"
