# PostgreSQL, Redis and Caddy as this machine has them, in the place of their public images, which cannot be pulled here.
ARG BASE
FROM ${BASE}
ADD servers.tar /
COPY entrypoint.sh /
RUN ln -s busybox /bin/wget \
    && echo "root:x:0:0:root:/root:/bin/sh" >>/etc/passwd \
    && echo "postgres:x:999:999:PostgreSQL:/var/lib/postgresql:/bin/sh" >>/etc/passwd \
    && echo "postgres:x:999:" >>/etc/group \
    && mkdir -p /usr/local/bin && ln -s /usr/lib/postgresql/*/bin/* /usr/local/bin/
ENTRYPOINT ["sh", "/entrypoint.sh"]
CMD ["postgres"]
