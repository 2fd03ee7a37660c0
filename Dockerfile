# docker build -t kansho .
# docker run --rm --user "$(id -u)" -v "$PWD:/data" kansho check cell.toml motion.csv
#
# `tools` has what the README's commands need, and is also what the devcontainer starts from.
FROM rust:1-bookworm AS tools
COPY --from=node:20-bookworm-slim /usr/local/bin/node /usr/local/bin/node
COPY --from=node:20-bookworm-slim /usr/local/lib/node_modules /usr/local/lib/node_modules
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
    && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx \
    && rustup component add clippy rustfmt \
    && apt-get update && apt-get install -y --no-install-recommends g++ python3-venv chromium \
    && rm -rf /var/lib/apt/lists/*

FROM tools AS build
WORKDIR /kansho
COPY . .
RUN cargo build --profile dist --locked

FROM debian:bookworm-slim
COPY --from=build /kansho/target/dist/kansho /usr/local/bin/kansho
COPY --from=build /kansho/LICENSE-APACHE /kansho/LICENSE-MIT /kansho/THIRD-PARTY.md /usr/local/share/doc/kansho/
RUN useradd --create-home kansho
USER kansho
WORKDIR /data
ENTRYPOINT ["kansho"]
CMD ["--help"]
