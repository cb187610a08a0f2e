import ColumnVectors
import QueryPlan
import SQLTypes

/// EXTRACT, DATE_TRUNC, DATEADD and DATEDIFF: functions whose first argument names a part of a date or time.
enum DatePartFunctions {
    static func kernel(_ function: ScalarFunction) -> FunctionKernel? {
        switch function {
        case .datePart: datePart
        case .dateTruncate: truncate
        case .dateAdd: dateAdd
        case .dateDiff: dateDiff
        default: nil
        }
    }

    private static func part(_ site: FunctionSite) throws -> DatePart {
        guard let bytes = site.text(0) else {
            throw SQLError(.invalidParameterValue, "the date part must be a constant")
        }
        let name = String(decoding: bytes, as: UTF8.self)
        guard let part = DatePart(name: name) else {
            throw SQLError(.invalidParameterValue, "timestamp units \"\(name)\" not recognized")
        }
        return part
    }

    private static func unsupported(_ part: DatePart, _ type: SQLType) -> SQLError {
        SQLError(.featureNotSupported, "\(type) units \"\(part.name)\" not supported")
    }

    // MARK: EXTRACT

    /// [part, value]; the result is an integer or a double by the signature.
    static let datePart = FunctionKernel { site in
        let part = try part(site)
        let type = site.arguments[1]
        let result = site.result
        let extract = try extractor(part, type, site)
        let fraction = result.isFloat && type != .date && (part == .second || part == .epoch)
        return { frame in
            let input = WideInput(frame, 1, type)
            let whole = WideOutput(frame, result)
            let doubles = frame.output(Double.self)
            try frame.forEachRow { row in
                let value = input[row]
                if fraction, let moment = Int64(exactly: value), type == .timestamp || type == .timestamptz {
                    doubles[row] = DateExtraction.datePart(part, timestamp: moment) ?? 0
                    return
                }
                guard let number = extract(value) else { throw unsupported(part, type) }
                if result.isFloat { doubles[row] = Double(number) } else { try put(number, row, whole, result) }
            }
        }
    }

    private static func put(_ value: Int64, _ row: Int, _ output: WideOutput, _ type: SQLType) throws {
        let range = type.valueBounds
        guard Int128(value) >= range.lower && Int128(value) <= range.upper else {
            throw ArithmeticFunctions.outOfRange(type)
        }
        output.put(row, Int128(value))
    }

    private static func extractor(
        _ part: DatePart, _ type: SQLType, _ site: FunctionSite
    ) throws -> (Int128) -> Int64? {
        switch type {
        case .date: return { DateExtraction.extract(part, days: Int64(truncatingIfNeeded: $0)) }
        case .timestamp: return { DateExtraction.extract(part, timestamp: Int64(truncatingIfNeeded: $0)) }
        case .timestamptz:
            let zone = site.context.datetime.zone
            return { value in
                let moment = Int64(truncatingIfNeeded: value)
                let local = zone.local(fromUTC: moment)
                let offset = (local - moment) / Calendar.microsecondsPerSecond
                switch part {
                case .timezone: return offset
                case .timezoneHour: return offset / 3600
                case .timezoneMinute: return offset % 3600 / 60
                case .epoch: return DateExtraction.extract(part, timestamp: moment)
                default: return DateExtraction.extract(part, timestamp: local)
                }
            }
        case .time: return { DateExtraction.extract(part, time: Int64(truncatingIfNeeded: $0)) }
        case .timetz:
            return { value in
                let time = TimeWithZone(packed: Int64(truncatingIfNeeded: value))
                switch part {
                case .timezone: return time.offsetMinutes * 60
                case .timezoneHour: return time.offsetMinutes / 60
                case .timezoneMinute: return time.offsetMinutes % 60
                default: return DateExtraction.extract(part, time: time.local)
                }
            }
        case .interval: return { DateExtraction.extract(part, interval: Interval(packed: $0)) }
        default: throw unsupported(part, type)
        }
    }

    // MARK: DATE_TRUNC

    static let truncate = FunctionKernel { site in
        let part = try part(site)
        let type = site.arguments[1]
        let zone = site.zone(of: type)
        return { frame in
            let input = WideInput(frame, 1, type)
            let output = WideOutput(frame, site.result)
            try frame.forEachRow { row in
                switch type {
                case .date:
                    let day = try DateArithmetic.truncate(part, days: Int64(truncatingIfNeeded: input[row]))
                    let isDate = site.result == .date
                    output.put(
                        row, Int128(isDate ? try Calendar.checkedDate(day) : try Calendar.timestamp(ofDay: day)))
                case .interval:
                    let interval = try truncated(Interval(packed: input[row]), part)
                    output.put(row, interval.packed)
                default:
                    let moment = Int64(truncatingIfNeeded: input[row])
                    let local = zone?.local(fromUTC: moment) ?? moment
                    let start = try DateArithmetic.truncate(part, timestamp: local)
                    output.put(row, Int128(try Calendar.checkedTimestamp(zone?.utc(fromLocal: start) ?? start)))
                }
            }
        }
    }

    private static func truncated(_ interval: Interval, _ part: DatePart) throws -> Interval {
        if let months = part.months {
            return Interval(months: interval.months / months * months, microseconds: 0)
        }
        guard let unit = part.microseconds else { throw unsupported(part, .interval) }
        return Interval(months: interval.months, microseconds: interval.microseconds / unit * unit)
    }

    // MARK: DATEADD

    /// [part, count, value]
    static let dateAdd = FunctionKernel { site in
        let part = try part(site)
        let (countType, type) = (site.arguments[1], site.arguments[2])
        let zone = site.zone(of: type)
        return { frame in
            let counts = WideInput(frame, 1, countType)
            let input = WideInput(frame, 2, type)
            let output = WideOutput(frame, site.result)
            try frame.forEachRow { row in
                let count = Int64(truncatingIfNeeded: counts[row])
                let value = Int64(truncatingIfNeeded: input[row])
                output.put(row, Int128(try moved(value, type, part, count, zone, site.result)))
            }
        }
    }

    private static func moved(
        _ value: Int64, _ type: SQLType, _ part: DatePart, _ count: Int64, _ zone: ZoneRules?, _ result: SQLType
    ) throws -> Int64 {
        switch type {
        case .time: return try DateArithmetic.add(part, count, time: value)
        case .timetz:
            let moved = try DateArithmetic.add(part, count, time: TimeWithZone(packed: value).utc)
            return TimeWithZone(local: moved, offsetMinutes: 0).packed
        case .date:
            let moment = try DateArithmetic.add(part, count, timestamp: try Calendar.timestamp(ofDay: value))
            return result == .date ? Calendar.day(ofTimestamp: moment) : moment
        default:
            guard let zone, part.months != nil else { return try DateArithmetic.add(part, count, timestamp: value) }
            let local = try DateArithmetic.add(part, count, timestamp: zone.local(fromUTC: value))
            return try Calendar.checkedTimestamp(zone.utc(fromLocal: local))
        }
    }

    // MARK: DATEDIFF

    /// [part, from, to]
    static let dateDiff = FunctionKernel { site in
        let part = try part(site)
        let type = site.arguments[1]
        let zone = site.zone(of: type)
        return { frame in
            let first = WideInput(frame, 1, type)
            let second = WideInput(frame, 2, type)
            let output = WideOutput(frame, site.result)
            try frame.forEachRow { row in
                let from = Int64(truncatingIfNeeded: first[row])
                let to = Int64(truncatingIfNeeded: second[row])
                output.put(row, Int128(try difference(from, to, type, part, zone)))
            }
        }
    }

    private static func difference(
        _ from: Int64, _ to: Int64, _ type: SQLType, _ part: DatePart, _ zone: ZoneRules?
    ) throws -> Int64 {
        switch type {
        case .date: return try DateArithmetic.dateDifference(part, from: from, to: to)
        case .timetz:
            return try DateArithmetic.difference(
                part, from: Calendar.timeOfDay(TimeWithZone(packed: from).utc),
                to: Calendar.timeOfDay(TimeWithZone(packed: to).utc))
        default:
            return try DateArithmetic.difference(
                part, from: zone?.local(fromUTC: from) ?? from, to: zone?.local(fromUTC: to) ?? to)
        }
    }
}
