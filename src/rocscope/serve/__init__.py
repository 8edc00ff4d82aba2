"""The page and a JSON API over local HTTP (extra `serve`): drop files, choose columns, see the answer.

- `sessions.py`: one-time tokens, cookies, and the files of each session; `guard.py`: the checks that every request
  passes
- `uploads.py`: bodies, streamed and limited; `tables.py`: uploaded files and what the page shows of them
- `control_names.py`: refusals that name the controls of the page
- `answers.py`, `pasted.py`, `rates_only.py`, `examples.py`, `jobs.py`: the work; `pages.py`: small pages without script
- `api.py`: the same questions for programs, as JSON; `openapi.py`: its arguments and its OpenAPI document
- `app.py`: the addresses and what they answer; `server.py`: socket, folder, connections, shutdown
- `static/`: the start page
"""

from rocscope.serve.server import PORT, SAFE_HOSTS, Address, browse, opening_page, run
from rocscope.serve.uploads import LIMIT, size_text

__all__ = ["LIMIT", "PORT", "SAFE_HOSTS", "Address", "browse", "opening_page", "run", "size_text"]
