import Glibc

/// Facts about the terminal that a descriptor leads to.
enum Terminal {
    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Columns of the terminal behind a descriptor; nil when it is none.
    static func width(_ descriptor: Int32) -> Int? {
        guard isTerminal(descriptor) else { return nil }
        var size = winsize()
        if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        return Environment["COLUMNS"].flatMap { Int($0) } ?? 80
    }

    /// Lines of the terminal behind a descriptor; nil when it is none.
    static func height(_ descriptor: Int32) -> Int? {
        guard isTerminal(descriptor) else { return nil }
        var size = winsize()
        return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0 ? Int(size.ws_row) : 24
    }

    /// Columns a text takes: wide East Asian characters two, combining marks none.
    static func displayWidth(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var ascii = true
        for byte in bytes where byte >= 0x80 || byte < 0x20 {
            ascii = false
            break
        }
        if ascii { return bytes.count }
        var width = 0
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars { width += displayWidth(scalar) }
        return width
    }

    static func displayWidth(_ text: String) -> Int {
        var text = text
        return text.withUTF8 { displayWidth($0) }
    }

    static func displayWidth(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0: 1
        case 0x300...0x36F, 0x200B...0x200F, 0xFE00...0xFE0F: 0
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            2
        default: 1
        }
    }
}

/// Environment variables; empty ones count as absent.
enum Environment {
    static subscript(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }
}
