# The web page in a container: not as root, and with nothing to write to but /data.
#
#   docker build -t covey .
#   docker run --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges \
#       -p 127.0.0.1:8765:8765 -v covey-data:/data covey
#
# The address with its token is in the output.
FROM python:3.13-slim AS build
WORKDIR /src
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY src src
# Kernels compiled here could not be used: numba reads its cache only where it may write. It compiles them into /data.
RUN COVEY_COMPILE=0 python -m pip wheel --no-cache-dir --wheel-dir /wheels '.[web,frames]'

FROM python:3.13-slim
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    python -m pip install --no-cache-dir --no-index --find-links /wheels 'covey[web,frames]' \
    && useradd --uid 10001 --home-dir /data --create-home --shell /usr/sbin/nologin covey
ENV HOME=/data MPLCONFIGDIR=/data/.matplotlib NUMBA_CACHE_DIR=/data/.numba PYTHONDONTWRITEBYTECODE=1
USER 10001:10001
WORKDIR /data
VOLUME ["/data"]
EXPOSE 8765
HEALTHCHECK --interval=30s --timeout=3s --start-period=20s \
    CMD ["python", "-c", "import socket; socket.create_connection(('127.0.0.1', 8765), 2).close()"]
CMD ["covey", "serve", "--host", "0.0.0.0", "--port", "8765", "--data", "/data/pages", "--no-browser"]
