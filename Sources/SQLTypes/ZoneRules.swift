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
    public func isDaylight(atUTCSeconds seconds: Int64) -> Bool { type(at: seconds).isDaylight }
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

    /// All names of the system's zones, sorted.
    public static let names: [String] = ZoneFile.names()

    private static func load(_ name: String, _ key: String) -> ZoneRules? {
        if let minutes = ZoneAbbreviation.offsetMinutes(key) {
            return ZoneRules(name: name.uppercased(), offsetSeconds: minutes * 60, abbreviation: name.uppercased())
        }
        if let seconds = PosixZoneRule.isoOffsetSeconds(name) {
            return ZoneRules(name: name, offsetSeconds: seconds, abbreviation: name)
        }
        if let zone = ZoneFile.load(name) { return zone }
        return PosixZoneRule(name).map { ZoneRules(name: name, rule: $0) }
    }
}

/// Abbreviations with one fixed offset.
public enum ZoneAbbreviation {
    /// Minutes east of Greenwich by names in lower case.
    public static let offsets: [String: Int64] = [
        "utc": 0, "gmt": 0, "z": 0, "zulu": 0, "ut": 0, "uct": 0, "wet": 0, "est": -300, "edt": -240, "cst": -360,
        "cdt": -300, "mst": -420, "mdt": -360, "pst": -480, "pdt": -420, "akst": -540, "akdt": -480, "hst": -600,
        "ast": -240, "adt": -180, "brt": -180, "art": -180, "nst": -210, "ndt": -150, "bst": 60, "cet": 60,
        "west": 60, "met": 60, "cest": 120, "eet": 120, "mest": 120, "sast": 120, "eest": 180, "msk": 180,
        "msd": 240, "ist": 330, "npt": 345, "ict": 420, "wib": 420, "cct": 480, "awst": 480, "hkt": 480, "sgt": 480,
        "pht": 480, "jst": 540, "kst": 540, "acst": 570, "aest": 600, "acdt": 630, "aedt": 660, "nzst": 720,
        "nzdt": 780,
    ]

    /// Minutes east of Greenwich; the name in lower case.
    public static func offsetMinutes(_ name: String) -> Int64? { offsets[name] }

    /// Those in whose countries it is the time of the summer.
    public static let summerNames: Set<String> = [
        "edt", "cdt", "mdt", "pdt", "akdt", "adt", "ndt", "bst", "west", "cest", "mest", "eest", "msd", "acdt", "aedt",
        "nzdt",
    ]
}
