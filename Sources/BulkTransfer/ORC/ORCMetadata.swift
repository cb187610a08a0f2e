import SQLTypes

/// What the footers of an ORC file say, as far as it is needed.
struct ORCPostscript {
    var footerLength = 0
    var compression = 0
    var blockSize = 256 << 10

    init(_ bytes: ArraySlice<UInt8>) throws {
        var reader = ProtobufReader(bytes)
        var magic: [UInt8] = []
        while let (field, value) = try reader.next() {
            switch field {
            case 1: footerLength = try value.number()
            case 2: compression = try value.number()
            case 3: blockSize = try value.number()
            case 8000: magic = Array(try value.bytes())
            default: break
            }
        }
        guard magic == Array("ORC".utf8), blockSize > 0, blockSize <= BlockDecoder.largestBlock else {
            throw ORCDamage.message
        }
    }

    /// Throws for codecs that are not read.
    func codec(_ name: String) throws -> BlockDecoder {
        switch compression {
        case 0: return .none
        case 1: return .deflate
        case 2: return .snappy
        case 4: return .lz4
        case 5: return .zstd
        default:
            throw SQLError(
                .featureNotSupported, "file \"\(name)\" has an ORC compression that is not supported",
                hint: "none, zlib, snappy, lz4 and zstd are.")
        }
    }
}

struct ORCFooter {
    struct Stripe {
        var offset = 0
        var indexLength = 0
        var dataLength = 0
        var footerLength = 0
        var rows = 0
    }
    struct Kinded {
        var kind = 0
        var children: [Int] = []
        var names: [String] = []
        var scale = 0
        var precision = 0
    }
    private(set) var stripes: [Stripe] = []
    private(set) var types: [Kinded] = []

    init(_ bytes: ArraySlice<UInt8>) throws {
        var reader = ProtobufReader(bytes)
        while let (field, value) = try reader.next() {
            switch field {
            case 3: stripes.append(try ORCFooter.stripe(try value.bytes()))
            case 4: types.append(try ORCFooter.type(try value.bytes()))
            default: break
            }
        }
        guard let root = types.first, root.kind == ORCType.structure.rawValue,
            root.children.allSatisfy(types.indices.contains)
        else { throw ORCDamage.message }
    }

    /// The columns with all that is inside of them.
    func columns(below numbers: [Int]) -> Set<Int> {
        var found: Set<Int> = []
        var open = numbers
        while let next = open.popLast() {
            if types.indices.contains(next), found.insert(next).inserted { open += types[next].children }
        }
        return found
    }

    private static func stripe(_ bytes: ArraySlice<UInt8>) throws -> Stripe {
        var reader = ProtobufReader(bytes)
        var stripe = Stripe()
        while let (field, value) = try reader.next() {
            switch field {
            case 1: stripe.offset = try value.number()
            case 2: stripe.indexLength = try value.number()
            case 3: stripe.dataLength = try value.number()
            case 4: stripe.footerLength = try value.number()
            case 5: stripe.rows = try value.number()
            default: break
            }
        }
        return stripe
    }

    private static func type(_ bytes: ArraySlice<UInt8>) throws -> Kinded {
        var reader = ProtobufReader(bytes)
        var type = Kinded()
        while let (field, value) = try reader.next() {
            switch field {
            case 1: type.kind = try value.number()
            case 2: type.children += try ProtobufReader.numbers(value).map { Int(clamping: $0) }
            case 3: type.names.append(String(decoding: try value.bytes(), as: UTF8.self))
            case 5: type.precision = try value.number()
            case 6: type.scale = try value.number()
            default: break
            }
        }
        return type
    }
}

enum ORCType: Int {
    case boolean, byte, short, int, long, float, double, string, binary, timestamp, list, map, structure, union
    case decimal, date, varchar, char, instant

    var isNested: Bool {
        switch self {
        case .list, .map, .structure, .union: true
        case .boolean, .byte, .short, .int, .long, .float, .double, .string, .binary, .timestamp, .decimal, .date,
            .varchar, .char, .instant:
            false
        }
    }
}

struct ORCStripeFooter {
    struct Stream {
        var kind = 0
        var column = 0
        var length = 0
    }
    struct Encoding {
        var kind = 0
        var dictionarySize = 0
        var isDictionary: Bool { kind == 1 || kind == 3 }
        var isSecondVersion: Bool { kind == 2 || kind == 3 }
    }
    private(set) var streams: [Stream] = []
    private(set) var encodings: [Encoding] = []
    private(set) var zone = ""

    init(_ bytes: ArraySlice<UInt8>) throws {
        var reader = ProtobufReader(bytes)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: streams.append(try ORCStripeFooter.stream(try value.bytes()))
            case 2: encodings.append(try ORCStripeFooter.encoding(try value.bytes()))
            case 3: zone = String(decoding: try value.bytes(), as: UTF8.self)
            default: break
            }
        }
    }

    private static func stream(_ bytes: ArraySlice<UInt8>) throws -> Stream {
        var reader = ProtobufReader(bytes)
        var stream = Stream()
        while let (field, value) = try reader.next() {
            switch field {
            case 1: stream.kind = try value.number()
            case 2: stream.column = try value.number()
            case 3: stream.length = try value.number()
            default: break
            }
        }
        return stream
    }

    private static func encoding(_ bytes: ArraySlice<UInt8>) throws -> Encoding {
        var reader = ProtobufReader(bytes)
        var encoding = Encoding()
        while let (field, value) = try reader.next() {
            switch field {
            case 1: encoding.kind = try value.number()
            case 2: encoding.dictionarySize = try value.number()
            default: break
            }
        }
        return encoding
    }
}
