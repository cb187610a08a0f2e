import Platform

/// Reads the system's compiled time zone files (RFC 9636).
enum ZoneFile {
    private static let directory = "/usr/share/zoneinfo"
    private static let largestFile = 1 << 20

    static func load(_ name: String) -> ZoneRules? {
        for candidate in [name, capitalized(name), name.uppercased()] where isPlain(candidate) {
            let path = FilePath.join(directory, candidate)
            let files = LocalFileSystem()
            guard let status = try? files.status(path), !status.isDirectory, status.size < largestFile,
                let bytes = try? files.readAll(path)
            else { continue }
            if let zone = parse(bytes, name: candidate) { return zone }
        }
        return nil
    }

    /// Names of zones and links as the data base's text lists them; empty where the system has no such text.
    static func names() -> [String] {
        guard let bytes = try? LocalFileSystem().readAll(FilePath.join(directory, "tzdata.zi")) else { return [] }
        var names: Set<String> = []
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.first == "Z", words.count > 1 { names.insert(String(words[1])) }
            if words.first == "L", words.count > 2 { names.insert(String(words[2])) }
        }
        return names.sorted()
    }

    /// Names come from users: nothing that could leave the directory.
    private static func isPlain(_ name: String) -> Bool {
        guard let first = name.utf8.first, TextInput.isLetter(first), name.utf8.count < 64 else { return false }
        return name.utf8.allSatisfy {
            TextInput.isLetter($0) || TextInput.isDigit($0) || $0 == 0x2F || $0 == 0x5F || $0 == 0x2D || $0 == 0x2B
        }
    }

    /// america/new_york -> America/New_York.
    private static func capitalized(_ name: String) -> String {
        var start = true
        var bytes: [UInt8] = []
        for byte in name.lowercased().utf8 {
            bytes.append(start && TextInput.isLetter(byte) ? byte & ~32 : byte)
            start = byte == 0x2F || byte == 0x5F || byte == 0x2D
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private struct Header {
        var version: UInt8
        var utcCount, standardCount, leapCount, timeCount, typeCount, characterCount: Int
        func length(_ width: Int) -> Int {
            let moments = timeCount * (width + 1) + leapCount * (width + 4)
            return moments + typeCount * 6 + characterCount + standardCount + utcCount
        }
    }

    static func parse(_ bytes: [UInt8], name: String) -> ZoneRules? {
        guard var header = header(bytes, 0) else { return nil }
        var start = 44
        var width = 4
        if header.version >= 0x32 {
            let second = 44 + header.length(4)
            guard let wide = Self.header(bytes, second) else { return nil }
            header = wide
            start = second + 44
            width = 8
        }
        guard start + header.length(width) <= bytes.count else { return nil }
        var transitions: [Int64] = []
        for index in 0..<header.timeCount { transitions.append(integer(bytes, start + index * width, width)) }
        let kindStart = start + header.timeCount * width
        let kinds = Array(bytes[kindStart..<kindStart + header.timeCount])
        let types = types(bytes, kindStart + header.timeCount, header)
        guard !types.isEmpty, kinds.allSatisfy({ Int($0) < types.count }) else { return nil }
        let footer = bytes[min(start + header.length(width) + 1, bytes.count)...].prefix { $0 != 10 }
        let rule = width == 8 ? PosixZoneRule(String(decoding: footer, as: UTF8.self)) : nil
        return ZoneRules(name: name, transitions: transitions, kinds: kinds, types: types, rule: rule)
    }

    private static func header(_ bytes: [UInt8], _ start: Int) -> Header? {
        guard start >= 0, start + 44 <= bytes.count, bytes[start..<start + 4].elementsEqual("TZif".utf8)
        else { return nil }
        let counts = (0..<6).map { Int(integer(bytes, start + 20 + $0 * 4, 4)) }
        guard counts.allSatisfy({ $0 >= 0 && $0 < 1 << 20 }) else { return nil }
        return Header(
            version: bytes[start + 4], utcCount: counts[0], standardCount: counts[1], leapCount: counts[2],
            timeCount: counts[3], typeCount: counts[4], characterCount: counts[5])
    }

    private static func types(_ bytes: [UInt8], _ start: Int, _ header: Header) -> [ZoneRules.LocalType] {
        let names = start + header.typeCount * 6
        return (0..<header.typeCount).map { index in
            let place = start + index * 6
            let nameStart = min(names + Int(bytes[place + 5]), names + header.characterCount)
            let name = bytes[nameStart..<names + header.characterCount].prefix { $0 != 0 }
            return ZoneRules.LocalType(
                offsetSeconds: integer(bytes, place, 4), isDaylight: bytes[place + 4] != 0,
                abbreviation: String(decoding: name, as: UTF8.self))
        }
    }

    private static func integer(_ bytes: [UInt8], _ start: Int, _ width: Int) -> Int64 {
        var value: UInt64 = 0
        for byte in bytes[start..<start + width] { value = value << 8 | UInt64(byte) }
        return width == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
    }
}
