import Glibc
import Platform

/// A time zone: which offset holds at which moment. Immutable and shared; made by ``named(_:)``.
public final class ZoneRules: Sendable {
    struct LocalType: Sendable {
        var offsetSeconds: Int64
        var isDaylight: Bool
        var abbreviation: String
    }
    public let name: String
    /// Moments in seconds since 1970 UTC, ascending; `kinds[i]` holds from `transitions[i]` on.
    private let transitions: [Int64]
    private let kinds: [UInt8]
    private let types: [LocalType]
    private let initial: LocalType
    /// For moments after the last transition.
    private let rule: PosixZoneRule?

    public static let utc = ZoneRules(name: "UTC", offsetSeconds: 0, abbreviation: "UTC")

    public init(name: String, offsetSeconds: Int64, abbreviation: String) {
        self.name = name
        transitions = []
        kinds = []
        types = []
        rule = nil
        initial = LocalType(offsetSeconds: offsetSeconds, isDaylight: false, abbreviation: abbreviation)
    }

    init(name: String, rule: PosixZoneRule) {
        self.name = name
        transitions = []
        kinds = []
        types = []
        self.rule = rule
        initial = rule.standard
    }

    init(name: String, transitions: [Int64], kinds: [UInt8], types: [LocalType], rule: PosixZoneRule?) {
        self.name = name
        self.transitions = transitions
        self.kinds = kinds
        self.types = types
        self.rule = rule
        initial =
            types.first { !$0.isDaylight } ?? types.first
            ?? LocalType(offsetSeconds: 0, isDaylight: false, abbreviation: name)
    }

    /// East of Greenwich is positive.
    public func offsetSeconds(atUTCSeconds seconds: Int64) -> Int64 { type(at: seconds).offsetSeconds }
    public func abbreviation(atUTCSeconds seconds: Int64) -> String { type(at: seconds).abbreviation }

    private func type(at seconds: Int64) -> LocalType {
        guard let last = transitions.last else { return rule?.type(at: seconds) ?? initial }
        if seconds >= last { return rule?.type(at: seconds) ?? types[Int(kinds[kinds.count - 1])] }
        var low = 0
        var high = transitions.count
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle] <= seconds { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? initial : types[Int(kinds[low - 1])]
    }

    /// Local time of a moment; both in microseconds.
    public func local(fromUTC microseconds: Int64) -> Int64 {
        let seconds = Calendar.floorDivide(microseconds, Calendar.microsecondsPerSecond)
        return microseconds &+ offsetSeconds(atUTCSeconds: seconds) &* Calendar.microsecondsPerSecond
    }

    /// The moment of a local time. In the hour that is skipped the earlier offset counts on, in the hour that comes
    /// twice the later one is meant: standard time both times.
    public func utc(fromLocal microseconds: Int64) -> Int64 {
        let local = Calendar.floorDivide(microseconds, Calendar.microsecondsPerSecond)
        let before = offsetSeconds(atUTCSeconds: local &- 86_400)
        let after = offsetSeconds(atUTCSeconds: local &+ 86_400)
        var offset = before
        if before != after && offsetSeconds(atUTCSeconds: local &- after) == after { offset = after }
        return microseconds &- offset &* Calendar.microsecondsPerSecond
    }

    // MARK: Look-up

    private static let known = Lock<[String: ZoneRules]>([:])

    /// A zone by name (any case for abbreviations and well-known names), abbreviation, or POSIX form; nil if unknown.
    public static func named(_ name: String) -> ZoneRules? {
        let key = name.lowercased()
        if let zone = known.withLock({ $0[key] }) { return zone }
        guard let zone = ZoneRules.load(name, key) else { return nil }
        known.withLock { $0[key] = zone }
        return zone
    }

    private static func load(_ name: String, _ key: String) -> ZoneRules? {
        if let minutes = ZoneAbbreviation.offsetMinutes(key) {
            return ZoneRules(name: name.uppercased(), offsetSeconds: minutes * 60, abbreviation: name.uppercased())
        }
        if let zone = ZoneFile.load(name) { return zone }
        // An offset alone counts to the west, as in the other forms of POSIX.
        let posix = name.first == "+" || name.first == "-" ? "UTC" + name : name
        return PosixZoneRule(posix).map { ZoneRules(name: name, rule: $0) }
    }
}

/// Abbreviations with one fixed offset.
public enum ZoneAbbreviation {
    /// Minutes east of Greenwich; the name in lower case.
    public static func offsetMinutes(_ name: String) -> Int64? {
        switch name {
        case "utc", "gmt", "z", "zulu", "ut", "uct", "wet": 0
        case "est": -300
        case "edt": -240
        case "cst": -360
        case "cdt": -300
        case "mst": -420
        case "mdt": -360
        case "pst": -480
        case "pdt": -420
        case "akst": -540
        case "akdt": -480
        case "hst": -600
        case "ast": -240
        case "adt", "brt", "art": -180
        case "nst": -210
        case "ndt": -150
        case "bst", "cet", "west", "met": 60
        case "cest", "eet", "mest", "sast": 120
        case "eest", "msk": 180
        case "msd": 240
        case "ist": 330
        case "npt": 345
        case "ict", "wib": 420
        case "cct", "awst", "hkt", "sgt", "pht": 480
        case "jst", "kst": 540
        case "acst": 570
        case "aest": 600
        case "acdt": 630
        case "aedt": 660
        case "nzst": 720
        case "nzdt": 780
        default: nil
        }
    }
}
