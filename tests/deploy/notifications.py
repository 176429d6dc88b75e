"""Delivery status notifications (RFC 3464) in the forms of several mail systems, and mail that only looks like one."""

from base64 import b64encode
from collections.abc import Mapping
from typing import Final

NOBODY: Final = "550 5.1.1 <ada@example.org>: no such mailbox"

POSTFIX: Final = """Return-Path: <>
From: MAILER-DAEMON@mx.uni.example (Mail Delivery System)
Subject: Undelivered Mail Returned to Sender
To: site@example.org
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;
\tboundary="9B1D.1764/mx.uni.example"
Content-Transfer-Encoding: 8bit

This message is in MIME format.

--9B1D.1764/mx.uni.example
Content-Description: Notification
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: 8bit

Your message to ada@example.org could not be delivered. Grüße vom Postmaster.

--9B1D.1764/mx.uni.example
Content-Description: Delivery report
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.uni.example
X-Postfix-Queue-ID: 9B1D1764
X-Postfix-Sender: rfc822; site@example.org
Arrival-Date: Sat, 28 Nov 2026 08:00:00 +0000 (UTC)

Final-Recipient: rfc822; ada@example.org
Original-Recipient: rfc822;ada@example.org
Action: {action}
Status: {status}
Remote-MTA: dns; mail.example.org
Diagnostic-Code: smtp; {words}

--9B1D.1764/mx.uni.example
Content-Description: Undelivered Message
Content-Type: message/rfc822
Content-Transfer-Encoding: 8bit

{original}
--9B1D.1764/mx.uni.example--
"""

EXCHANGE: Final = """From: <postmaster@uni.example>
To: <site@example.org>
Date: Sat, 28 Nov 2026 08:00:05 +0000
Subject: Undeliverable: something
Content-Type: multipart/report; report-type=delivery-status; boundary="_7c1e_"
X-MS-Exchange-Message-Is-Ndr:
In-Reply-To: <{id}>
References: <{id}>
MIME-Version: 1.0

--_7c1e_
Content-Type: multipart/alternative; differences=Content-Type; boundary="_7c1e_2_"

--_7c1e_2_
Content-Type: text/plain; charset="utf-8"
Content-Transfer-Encoding: base64

{encoded}

--_7c1e_2_
Content-Type: text/html; charset="utf-8"
Content-Transfer-Encoding: base64

{encoded}

--_7c1e_2_--

--_7c1e_
Content-Type: message/delivery-status

Reporting-MTA: dns;AM0PR01.prod.example
Received-From-MTA: dns;mx.example.org
Arrival-Date: Sat, 28 Nov 2026 08:00:00 +0000

Final-Recipient: rfc822;ada@example.org
Action: {action}
Status: {status}
Diagnostic-Code: smtp;{words}

--_7c1e_
Content-Type: text/rfc822-headers

Message-ID: <{id}>
Subject: something

--_7c1e_--
"""

GMAIL: Final = """Return-Path: <>
Content-Type: multipart/report; boundary="000000000000a1"; report-type=delivery-status
To: site@example.org
Auto-Submitted: auto-replied
Subject: Delivery Status Notification (Failure)
From: Mail Delivery Subsystem <mailer-daemon@mail.example>
MIME-Version: 1.0

--000000000000a1
Content-Type: multipart/related; boundary="000000000000a2"

--000000000000a2
Content-Type: text/html; charset="UTF-8"

<p>The address was not found.</p>

--000000000000a2
Content-Type: image/png; name="icon.png"
Content-Transfer-Encoding: base64
Content-ID: <icon.png>

{encoded}

--000000000000a2--

--000000000000a1
Content-Type: message/delivery-status

Reporting-MTA: dns; mail.example
Arrival-Date: Sat, 28 Nov 2026 00:00:00 -0800 (PST)
X-Original-Message-ID: <{id}>

Final-Recipient: rfc822; ada@example.org
Action: {action}
Status: {status}
Remote-MTA: dns; mail.example.org. (2001:db8::1, the server for the domain example.org.)
Diagnostic-Code: smtp; {words}
Last-Attempt-Date: Sat, 28 Nov 2026 00:00:01 -0800 (PST)

--000000000000a1
Content-Type: message/rfc822

{original}
--000000000000a1--
"""

HEADERS_IN_BASE64: Final = """From: mailer-daemon@uni.example
To: site@example.org
MIME-Version: 1.0
Content-Type: Multipart/Report; boundary=b; Report-Type="delivery-status"

--b
Content-Type: text/plain

It did not arrive.
--b
Content-Type: message/delivery-status

Reporting-MTA: dns; uni.example

Final-Recipient: rfc822; somebody@example.org
Action: delivered
Status: 2.0.0

Final-Recipient: rfc822; ada@example.org
Action: {action}
Status: {status} (it says)
Diagnostic-Code: smtp; {words}

--b
Content-Type: text/rfc822-headers
Content-Transfer-Encoding: base64

{headers}
--b--
"""

SHAPES: Final = {"Postfix": POSTFIX, "Exchange": EXCHANGE, "Gmail": GMAIL, "headers in base64": HEADERS_IN_BASE64}

AWAY: Final = """From: ada@example.org
To: site@example.org
Subject: Automatic reply: something
Auto-Submitted: auto-replied
In-Reply-To: <{id}>
MIME-Version: 1.0
Content-Type: text/plain

I am away. Action: failed
Status: 5.1.1
Message-ID: <{id}>
"""

READ_RECEIPT: Final = POSTFIX.replace("delivery-status", "disposition-notification")
NO_REPORT: Final = POSTFIX.replace("multipart/report; report-type=delivery-status;", "multipart/mixed;")


def notification(shape: str, sent: bytes, id_: str, **more: str) -> bytes:
    """About an e-mail that was `sent` with this `Message-ID`, without brackets."""
    given = {"action": "failed", "status": "5.1.1", "words": NOBODY, **more}
    headers = b64encode(f"Subject: something\r\nMessage-ID: <{id_}>\r\n".encode()).decode()
    texts: Mapping[str, str] = {"encoded": b64encode(b"Not found. " * 4).decode(), "headers": headers}
    whole = shape.format(id=id_, original=sent.decode(), **texts, **given)
    return whole.replace("\r\n", "\n").replace("\n", "\r\n").encode()
