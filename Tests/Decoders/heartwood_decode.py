#!/usr/bin/env python3
"""Prints the live records of a Heartwood store, as `heartwood export` does: one JSON object a line, in key order.

Written from Documentation/FileFormat.md alone, with nothing but Python's standard library, to show that the page
suffices. It reads files only: don't run it on a store that is being written to.

    heartwood_decode.py STORE [--now MILLISECONDS]

Exit codes: 0 done, 2 the store is damaged or of a newer format (file and offset on standard error), 64 usage.
"""

import base64
import json
import os
import re
import struct
import sys
import time
import zlib

FILE_MAGIC = bytes.fromhex("48574F4F440D0A1A")
COMMIT_MAGIC = b"HWCM"
FILE_HEADER, COMMIT_HEADER, RECORD_HEADER = 4096, 48, 32
MARK, CLOSING = 1, 2
BATCH_GOES_ON, COMPRESSED, IN_BATCH = 1, 2, 4
PUT, PUT_EXPIRING, DELETE, FIRST_OPTIONAL = 1, 2, 3, 128
LARGEST_RECORD = 2_147_479_552
LOG, SNAPSHOT = 1, 2
VERSIONS = {LOG: (1, 3), SNAPSHOT: (2,)}
KEY_MAGIC, KEY_HEADER, FOOTER_MAGIC, FOOTER = b"HWKB", 32, b"HWSF", 64
LONGEST_KEY, LARGEST_BLOCK, LARGEST_SNAPSHOT = 65_535, 131_104, 1 << 54


class Refusal(Exception):
    """The store can't be read: damage, or a newer format."""

    def __init__(self, file, offset, reason):
        super().__init__(f"{file}: offset {offset}: {reason}")
        self.is_damage = not reason.startswith("unsupported")


class Damage(Exception):
    """An item that is not what it should be; what that means is judged by whoever looked for it."""

    def __init__(self, offset, reason):
        super().__init__(reason)
        self.offset = offset


class Unsupported(Damage):
    """An item that is sound, but of a newer format."""


# --- Checksums


def make_table():
    table = []
    for crc in range(256):
        for _ in range(8):
            crc = (crc >> 1) ^ 0x82F63B78 if crc & 1 else crc >> 1
        table.append(crc)
    return table


TABLE = make_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


assert crc32c(b"123456789") == 0xE3069283


# --- Files


class StoreFile:
    """A file with a header: a log segment or a snapshot."""

    kind = None

    def __init__(self, directory, name):
        self.name = os.path.join(directory, name)
        self.number = int(name[:16], 16)
        with open(self.name, "rb") as file:
            self.data = file.read()
        self.read_header()

    def read_header(self):
        data = self.data
        if len(data) < FILE_HEADER:
            raise Refusal(self.name, 0, "the file is shorter than its header")
        if data[:8] != FILE_MAGIC:
            raise Refusal(self.name, 0, "the magic of the file is wrong")
        if struct.unpack_from("<I", data, 4092)[0] != crc32c(data[:4092]):
            raise Refusal(self.name, 0, "the checksum of the file header does not match")
        self.version, kind, flags, self.salt, self.store, self.first = struct.unpack_from("<HBBI16sQ", data, 8)
        if self.version not in (1, 2, 3):
            raise Refusal(self.name, 0, f"unsupported: version {self.version}")
        if self.version not in VERSIONS.get(kind, ()) or flags != 0:
            raise Refusal(self.name, 0, f"unsupported: file kind {kind} of version {self.version}, flags {flags}")
        self.previous_salt, reserved, self.previous_last, self.previous_end = struct.unpack_from("<IIQQ", data, 40)
        self.created = struct.unpack_from("<Q", data, 64)[0]
        if self.salt == 0 or not 0 < self.first < 1 << 63 or reserved != 0 or any(data[72:4092]):
            raise Refusal(self.name, 0, "the file header holds what no writer produces")
        if self.previous_last >= 1 << 63 or (self.previous_salt == 0 and any(data[48:64])):
            raise Refusal(self.name, 0, "the file header holds what no writer produces")
        if kind != self.kind:
            raise Refusal(self.name, 0, "the file is not what its name says")

    @property
    def previous(self):
        return self.previous_salt, self.previous_last, self.previous_end

    def tag(self, offset):
        return self.salt ^ (offset // 8 & 0xFFFFFFFF)

    def inflate(self, offset, stored, is_compressed):
        if not is_compressed:
            return stored
        declared = struct.unpack_from("<I", stored)[0]
        inflater = zlib.decompressobj(-15)
        try:
            value = inflater.decompress(stored[4:], declared + 1)
        except zlib.error:
            value = None
        if value is None or len(value) != declared or not inflater.eof or inflater.unused_data:
            raise Refusal(self.name, offset, "corrupt: a compressed value does not inflate to its length")
        return value


# --- Segments


class Segment(StoreFile):
    kind = LOG

    def read_header(self):
        super().read_header()
        if self.first != self.number:
            raise Refusal(self.name, 0, "the file is not what its name says")

    def check_chain(self, previous):
        """The rules for neighbours, but for the end of the one before."""
        if previous is None:
            if self.previous_salt != 0:
                raise Refusal(self.name, 0, "segments are missing before this one")
        elif self.store != previous.store:
            raise Refusal(self.name, 0, "the segment belongs to another store")
        elif self.previous_salt != previous.salt:
            raise Refusal(self.name, 0, f"the segment does not follow {previous.name}")
        elif not previous.first - 1 <= self.previous_last < self.first:
            raise Refusal(self.name, 0, "the numbers do not follow those of the segment before")

    def commit_header(self, offset, limit):
        """The fields of a valid commit header."""
        header = self.data[offset : min(offset + COMMIT_HEADER, limit)]
        if len(header) < COMMIT_HEADER or header[:4] != COMMIT_MAGIC:
            raise Damage(offset, "no commit")
        flags, body, first, synced, when, count, checksum = struct.unpack_from("<IQQQQII", header, 4)
        if checksum != crc32c(header[:44]) ^ self.tag(offset):
            raise Damage(offset, "the checksum of the commit header does not match")
        if flags & ~(MARK | CLOSING):
            raise Unsupported(offset, f"commit flags {flags}")
        is_mark = bool(flags & MARK)
        if synced > offset or body % 8 != 0 or body < RECORD_HEADER * count:
            raise Damage(offset, "the commit header holds what no writer produces")
        if is_mark != (count == 0) or is_mark != (body == 0) or (flags & CLOSING and not is_mark):
            raise Damage(offset, "the commit header holds what no writer produces")
        return flags, body, first, synced, when, count

    def record(self, offset, end, number, is_in_batch):
        """One record: its end, whether its batch goes on, and what it does (None for an optional kind)."""
        data = self.data
        if offset + RECORD_HEADER > end:
            raise Damage(offset, "a record begins too late in its commit")
        header = data[offset : offset + RECORD_HEADER]
        kind, flags, key_length, length, distance, expiry, payload_sum, checksum = struct.unpack("<BBHIQQII", header)
        if checksum != crc32c(header[:28]) ^ self.tag(offset):
            raise Damage(offset, "the checksum of a record header does not match")
        known = BATCH_GOES_ON | COMPRESSED | (IN_BATCH if self.version >= 3 else 0)
        if kind < FIRST_OPTIONAL and (kind not in (PUT, PUT_EXPIRING, DELETE) or flags & ~known):
            raise Unsupported(offset, f"record kind {kind}, flags {flags}")
        start = offset + RECORD_HEADER
        next_offset = start + (key_length + length + 7) // 8 * 8
        if next_offset > end or next_offset - offset > LARGEST_RECORD:
            raise Damage(offset, "a record is longer than its commit")
        if self.first + distance != number:
            raise Damage(offset, "a record has the wrong sequence number")
        if self.version >= 3 and bool(flags & IN_BATCH) != is_in_batch:
            raise Damage(offset, "a record and the one before it disagree on their batch")
        if payload_sum != crc32c(data[start:next_offset]) ^ self.tag(offset):
            raise Damage(offset, "the checksum of a key and value does not match")
        goes_on = bool(flags & BATCH_GOES_ON)
        if kind >= FIRST_OPTIONAL:
            return next_offset, goes_on, None
        is_compressed = bool(flags & COMPRESSED)
        if (
            key_length == 0
            or (kind == PUT_EXPIRING) != (expiry != 0)
            or (kind == DELETE and (length != 0 or is_compressed))
            or (is_compressed and length <= 4)
        ):
            raise Damage(offset, "a record header holds what no writer produces")
        key = data[start : start + key_length]
        if kind == DELETE:
            return next_offset, goes_on, (key, None)
        return next_offset, goes_on, (key, (offset, start + key_length, length, is_compressed, expiry))

    def commit(self, offset, header, limit, number):
        """The records of a whole commit, its end, and the number after its last batch."""
        _, body, first, _, _, count = header
        at, end = offset + COMMIT_HEADER, offset + COMMIT_HEADER + body
        if end > limit:
            raise Damage(offset, "a commit is longer than its file")
        if first != number:
            raise Damage(offset, "a commit has the wrong sequence number")
        operations, goes_on, last = [], False, offset
        for _ in range(count):
            last = at
            at, goes_on, operation = self.record(at, end, number, goes_on)
            if operation:
                operations.append(operation)
            number += not goes_on
        if at != end:
            raise Damage(offset, "the records do not fill their commit")
        if goes_on:
            raise Damage(last, "a batch goes on behind the end of its commit")
        return operations, end, number

    def replay(self, successor, apply):
        """Reads the commits and judges the end."""
        recorded_end = successor.previous_end if successor else None
        limit = min(len(self.data), recorded_end) if successor else len(self.data)
        position, number, damage = FILE_HEADER, self.first, None
        while position < limit:
            try:
                at, header = self.find_commit(position, limit, number)
                if header is None:
                    break
                operations, position, number = self.commit(at, header, limit, number)
            except Unsupported as error:
                raise Refusal(self.name, error.offset, f"unsupported: {error}")
            except Damage as error:
                damage = error
                break
            apply(operations, header[4])
        if successor:
            if position != recorded_end:
                damage = damage or Damage(position, "the file ends before its successor says")
                raise Refusal(self.name, damage.offset, f"corrupt: {damage}")
            if number != successor.previous_last + 1:
                raise Refusal(self.name, position, "corrupt: its numbers end before its successor says")
        elif damage and self.has_later_mark(position, limit):
            raise Refusal(self.name, damage.offset, f"corrupt: {damage}")

    def find_commit(self, position, limit, number):
        """Where the next commit stands, and its header; no header where only zeros are left."""
        try:
            return position, self.commit_header(position, limit)
        except Unsupported:
            raise
        except Damage as error:
            boundary = (position + 4095) // 4096 * 4096
            if position < boundary < limit and not any(self.data[position:boundary]):
                try:
                    header = self.commit_header(boundary, limit)
                    if header[0] & MARK and header[2] == number:
                        return boundary, header
                except Unsupported:
                    raise
                except Damage:
                    pass
            if not any(self.data[position:limit]):
                return position, None
            raise error

    def has_later_mark(self, position, limit):
        at = self.data.find(COMMIT_MAGIC, position + 1)
        while at >= 0:
            if at % 8 == 0:
                try:
                    if self.commit_header(at, limit)[3] > position:
                        return True
                except Damage:
                    pass
            at = self.data.find(COMMIT_MAGIC, at + 1)
        return False

    def value(self, place):
        offset, start, length, is_compressed, _ = place
        return self.inflate(offset, self.data[start : start + length], is_compressed)


# --- Snapshots


class Snapshot(StoreFile):
    """A snapshot. Its keys are read at once, its records when they are asked for."""

    kind = SNAPSHOT

    def __init__(self, directory, name):
        super().__init__(directory, name)
        if self.first != 1 or self.previous_salt == 0:
            raise Refusal(self.name, 0, "the file is not what its name says")
        if self.previous_last != self.number:
            raise Refusal(self.name, 0, "the snapshot was renamed or copied")
        self.read_footer()
        self.places = dict(self.read_keys())

    def read_footer(self):
        self.footer = footer = max(0, len(self.data) - FOOTER)
        data = self.data[footer:]
        if data[:4] != FOOTER_MAGIC:
            raise Refusal(self.name, footer, "no footer at the end of the snapshot")
        if struct.unpack_from("<I", data, 60)[0] != crc32c(data[:60]) ^ self.tag(footer):
            raise Refusal(self.name, footer, "the checksum of the footer does not match")
        flags, self.records, self.keys, self.blocks, self.key_bytes, self.expiring = struct.unpack_from(
            "<IQQQQQ", data, 4
        )
        if flags != 0:
            raise Refusal(self.name, footer, f"unsupported: footer flags {flags}")
        if any(data[48:60]) or footer % 8 or self.keys % 8 or not FILE_HEADER <= self.keys <= footer:
            raise Refusal(self.name, footer, "the footer holds what no writer produces")
        if (
            self.keys > LARGEST_SNAPSHOT
            or self.records > (self.keys - FILE_HEADER) // 40
            or self.records > (footer - self.keys) // 4
            or self.key_bytes > self.keys - FILE_HEADER
            or self.expiring > self.records
            or self.blocks > self.records
            or self.blocks > (footer - self.keys) // KEY_HEADER
            or (self.blocks == 0) != (self.records == 0)
        ):
            raise Refusal(self.name, footer, "the footer holds what no writer produces")

    def read_keys(self):
        """Each key, with its record's offset and length, and the expiry."""
        at, record, last = self.keys, FILE_HEADER, b""
        records = blocks = key_bytes = expiring = 0
        while at < self.footer:
            try:
                at, entries = self.block(at, record)
            except (Damage, IndexError, struct.error) as error:
                raise Refusal(self.name, at, f"corrupt: keys: {error}")
            if entries[0][0] <= last:
                raise Refusal(self.name, at, "corrupt: the keys of a block do not follow those of the block before")
            last = entries[-1][0]
            for key, offset, length, expiry in entries:
                key_bytes += len(key)
                expiring += expiry != 0
                record = offset + length
                yield key, (offset, length, expiry)
            records += len(entries)
            blocks += 1
        found = (at, record, records, blocks, key_bytes, expiring)
        if found != (self.footer, self.keys, self.records, self.blocks, self.key_bytes, self.expiring):
            raise Refusal(self.name, self.footer, "corrupt: the footer does not fit the keys")

    def block(self, at, record):
        """The end of a block, and its entries."""
        header = self.data[at : min(at + KEY_HEADER, self.footer)]
        if len(header) < KEY_HEADER or header[:4] != KEY_MAGIC:
            raise Damage(at, "no block of keys")
        count, first, length, reserved, entries_sum, checksum = struct.unpack_from("<IQIIII", header, 4)
        if checksum != crc32c(header[:28]) ^ self.tag(at):
            raise Damage(at, "the checksum of the header does not match")
        start, end = at + KEY_HEADER, at + KEY_HEADER + length
        if reserved != 0 or length % 8 or length > LARGEST_BLOCK or not 0 < count <= length // 4:
            raise Damage(at, "the header holds what no writer produces")
        if end > self.footer or first != record:
            raise Damage(at, "the block does not fit its place")
        data = self.data[start:end]
        if entries_sum != crc32c(data) ^ self.tag(at):
            raise Damage(at, "the checksum of the entries does not match")
        entries, position, key = [], 0, b""
        for number in range(count):
            shared, position = self.number_at(data, position, at)
            rest, position = self.number_at(data, position, at)
            eights, position = self.number_at(data, position, at)
            expiry = 0
            if eights & 1:
                expiry = struct.unpack_from("<Q", data, position)[0]
                position += 8
                if expiry == 0:
                    raise Damage(at, "an expiry of 0")
            size = (eights >> 1) * 8
            if rest == 0 or shared > len(key) or shared + rest > LONGEST_KEY or position + rest > len(data):
                raise Damage(at, "the length of a key is wrong")
            if not RECORD_HEADER + (shared + rest + 7) // 8 * 8 <= size <= LARGEST_RECORD or first + size > self.keys:
                raise Damage(at, "the length of a record is wrong")
            if number > 0 and shared < len(key) and key[shared] >= data[position]:
                raise Damage(at, "keys out of order, or with less shared than there is")
            key = key[:shared] + data[position : position + rest]
            position += rest
            entries.append((key, first, size, expiry))
            first += size
        if len(data) - position >= 8 or any(data[position:]):
            raise Damage(at, "the padding is wrong")
        return end, entries

    def number_at(self, data, position, at):
        """A variable-length number, and where it ends."""
        number = 0
        for index in range(5):
            byte = data[position + index]
            number |= (byte & 0x7F) << (7 * index)
            if byte < 0x80:
                return number, position + index + 1
        raise Damage(at, "a number of more than five bytes")

    def value(self, key):
        """What the record of a key holds, verified."""
        offset, size, expected = self.places[key]
        header, payload = self.data[offset : offset + RECORD_HEADER], self.data[offset + RECORD_HEADER : offset + size]
        kind, flags, key_length, length, distance, expiry, payload_sum, checksum = struct.unpack("<BBHIQQII", header)
        if checksum != crc32c(header[:28]) ^ self.tag(offset) or payload_sum != crc32c(payload) ^ self.tag(offset):
            raise Refusal(self.name, offset, "corrupt: the checksum of a record does not match")
        if kind not in (PUT, PUT_EXPIRING) or flags & ~COMPRESSED:
            raise Refusal(self.name, offset, "corrupt: a record holds what no writer produces")
        if (key_length + length + 7) // 8 * 8 != len(payload) or payload[:key_length] != key:
            raise Refusal(self.name, offset, "corrupt: a record is not that of its key")
        if (kind == PUT_EXPIRING) != (expiry != 0) or expiry != expected or distance >= self.previous_last:
            raise Refusal(self.name, offset, "corrupt: a record holds what no writer produces")
        return self.inflate(offset, payload[key_length : key_length + length], bool(flags & COMPRESSED))


# --- Stores


def text_fields(name, data):
    try:
        return {name: data.decode("utf-8")}
    except UnicodeDecodeError:
        return {name + "64": base64.b64encode(data).decode("ascii")}


def choose(directory, names, segments):
    """The newest snapshot that is sound, None where there is none, and the segments behind it."""
    numbers = [name for name in names if re.fullmatch(r"[0-9a-f]{16}\.snapshot", name)]
    snapshot, refusal = None, None
    for name in reversed(numbers):
        try:
            snapshot = Snapshot(directory, name)
            break
        except Refusal as error:
            if not error.is_damage:
                raise
            refusal = refusal or error
    try:
        behind = segments_behind(snapshot, segments)
        for previous, segment in zip([None] + behind, behind):
            if previous or not snapshot:
                segment.check_chain(previous)
            elif segment.first <= snapshot.number:
                raise Refusal(segment.name, 0, "the numbers do not follow those of the snapshot")
    except Refusal as error:
        raise refusal or error
    # The newest snapshot's name says that there was a segment behind it.
    if refusal and not (behind and behind[-1].first > int(numbers[-1][:16], 16)):
        raise refusal
    return snapshot, behind


def segments_behind(snapshot, segments):
    if snapshot is None:
        return segments
    if segments and snapshot.store != segments[0].store:
        raise Refusal(snapshot.name, 0, "the snapshot belongs to another store")
    for index, segment in enumerate(segments):
        if segment.previous == snapshot.previous:
            return segments[index:]
    later = [segment for segment in segments if segment.first > snapshot.number]
    at = later[0] if later and later[0].previous_salt else snapshot
    raise Refusal(at.name, 0, "the segment behind the snapshot is missing")


def decode(directory, now):
    names = sorted(os.listdir(directory))
    segments = [Segment(directory, name) for name in names if re.fullmatch(r"[0-9a-f]{16}\.log", name)]
    snapshot, segments = choose(directory, names, segments)
    # The file of each key, what it needs to find the value there, and the expiry.
    live, newest = {}, 0
    if snapshot:
        newest = snapshot.created
        for key, (_, _, expiry) in snapshot.places.items():
            live[key] = (snapshot, key, expiry)
    for segment, successor in zip(segments, segments[1:] + [None]):

        def apply(operations, when):
            nonlocal newest
            newest = max(newest, when)
            for key, place in operations:
                live[key] = place and (segment, place, place[4])

        segment.replay(successor, apply)
    now = max(now, newest)
    for key in sorted(live):
        if live[key] is None:
            continue
        file, place, expiry = live[key]
        if expiry and now >= expiry:
            continue
        line = text_fields("key", key) | text_fields("value", file.value(place))
        if expiry:
            line["expires"] = expiry
        yield json.dumps(line, ensure_ascii=False, separators=(",", ":"))


def main(arguments):
    now = int(time.time() * 1000)
    if len(arguments) == 3 and arguments[1] == "--now" and arguments[2].isdigit():
        now = int(arguments.pop())
        arguments.pop()
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: heartwood_decode.py STORE [--now MILLISECONDS]", file=sys.stderr)
        return 64
    output = open(sys.stdout.fileno(), "w", encoding="utf-8", newline="\n", closefd=False)
    try:
        for line in decode(arguments[0], now):
            print(line, file=output)
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 2
    finally:
        output.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
