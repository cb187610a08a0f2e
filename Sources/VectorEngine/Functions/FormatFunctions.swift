import ColumnVectors
import QueryPlan
import SQLTypes

/// TO_CHAR, TO_DATE, TO_TIMESTAMP and TO_NUMBER. Constant templates are taken apart once.
enum FormatFunctions {
    static func kernel(_ function: ScalarFunction) -> FunctionKernel? {
        switch function {
        case .toCharDatetime: toCharDatetime
        case .toCharNumber: toCharNumber
        case .toDate: toDate
        case .toTimestamp: toTimestamp
        case .toNumber: toNumber
        case .zonedTextToInteger: zonedTextToInteger
        case .zonedTextToDecimal: zonedTextToDecimal
        default: nil
        }
    }

    private static func template<Format>(
        _ site: FunctionSite, _ make: @escaping (String) throws -> Format
    ) throws -> (FunctionFrame, Int) throws -> Format {
        if let bytes = site.text(1) {
            let fixed = try make(String(decoding: bytes, as: UTF8.self))
            return { _, _ in fixed }
        }
        return { frame, row in try make(String(decoding: frame.string(1, row).bytes, as: UTF8.self)) }
    }

    /// [date, timestamp, timestamptz or interval; template]
    static let toCharDatetime = FunctionKernel { site in
        let format = try template(site) { try DatetimeFormat($0) }
        let type = site.arguments[0]
        let zone = site.context.datetime.zone
        return { frame in
            let result = TextResult(frame)
            let input = WideInput(frame, 0, type)
            try frame.forEachRow { row in
                let format = try format(frame, row)
                switch type {
                case .date:
                    let moment = try Calendar.timestamp(ofDay: Int64(truncatingIfNeeded: input[row]))
                    format.append(timestamp: moment, to: result.buffer)
                case .timestamptz:
                    let moment = Int64(truncatingIfNeeded: input[row])
                    let seconds = Calendar.floorDivide(moment, Calendar.microsecondsPerSecond)
                    format.append(
                        timestamp: zone.local(fromUTC: moment), zoneName: zone.abbreviation(atUTCSeconds: seconds),
                        offsetSeconds: zone.offsetSeconds(atUTCSeconds: seconds), to: result.buffer)
                case .interval: format.append(timestamp: try moment(Interval(packed: input[row])), to: result.buffer)
                default: format.append(timestamp: Int64(truncatingIfNeeded: input[row]), to: result.buffer)
                }
                try result.put(row)
            }
        }
    }

    /// Templates apply to an interval as to the moment that it leads to from the start of the calendar.
    private static func moment(_ interval: Interval) throws -> Int64 {
        try DateArithmetic.add(
            interval, timestamp: try Calendar.timestamp(ofDay: Calendar.days(year: 0, month: 1, day: 1)))
    }

    static let toCharNumber = FunctionKernel { site in
        let format = try template(site) { try NumberFormat($0) }
        let type = site.arguments[0]
        return { frame in
            let result = TextResult(frame)
            let input = WideInput(frame, 0, type)
            let doubles = frame.arguments[0].values(Double.self)
            try frame.forEachRow { row in
                let format = try format(frame, row)
                if type.isFloat {
                    format.append(doubles[row], to: result.buffer)
                } else {
                    format.append(input[row], scale: type.scale, to: result.buffer)
                }
                try result.put(row)
            }
        }
    }

    /// [text, template, strict]
    static let toDate = FunctionKernel { site in
        let format = try template(site) { try DatetimeFormat($0) }
        return { frame in
            let output = frame.output(Int32.self)
            try frame.forEachRow { row in
                let parsed = try parse(frame, row, format(frame, row))
                output[row] = Int32(truncatingIfNeeded: try Calendar.checkedDate(parsed.days))
            }
        }
    }

    static let toTimestamp = FunctionKernel { site in
        let format = try template(site) { try DatetimeFormat($0) }
        let zone = site.zone(of: site.result)
        return { frame in
            let output = frame.output(Int64.self)
            try frame.forEachRow { row in
                let parsed = try parse(frame, row, format(frame, row))
                let local = try Calendar.checkedTimestamp(
                    try Calendar.timestamp(ofDay: try Calendar.checkedDate(parsed.days)) + parsed.time)
                output[row] = try Calendar.checkedTimestamp(zone?.utc(fromLocal: local) ?? local)
            }
        }
    }

    private static func parse(_ frame: FunctionFrame, _ row: Int, _ format: DatetimeFormat) throws
        -> DatetimeFormat.Parsed
    {
        let text = frame.string(0, row)
        let strict = frame.arguments.count > 2 && frame.arguments[2].values(UInt8.self)[row] != 0
        return try format.parseThrowing(text.pointer, Int(text.count), strict: strict)
    }

    /// [text, template?]: what is behind the point is cut.
    static let zonedTextToInteger = FunctionKernel { site in
        try zonedKernel(site) { value, scale in
            guard let cut = DecimalArithmetic.rescaled(value, from: scale, to: 0, rounding: false),
                Int32(exactly: cut) != nil
            else { throw SQLError(.numericOutOfRange, "integer out of range") }
            return cut
        }
    }

    /// [text, template?]: halves go to the even neighbour.
    static let zonedTextToDecimal = FunctionKernel { site in
        let result = site.result
        let precision = DecimalRules.shape(of: result)?.precision ?? SQLType.maximumPrecision
        return try zonedKernel(site) { value, scale in
            guard let rounded = ZonedNumberFormat.rounded(value, from: scale, to: result.scale) else {
                throw DecimalArithmetic.overflow()
            }
            return try DecimalArithmetic.check(rounded, precision: precision)
        }
    }

    /// - Parameter body: the result of an unscaled number and its scale.
    private static func zonedKernel(
        _ site: FunctionSite, _ body: @escaping (Int128, Int) throws -> Int128
    ) throws -> (FunctionFrame) throws -> Void {
        let format = try zonedTemplate(site)
        let result = site.result
        return { frame in
            let output = WideOutput(frame, result)
            try frame.forEachRow { row in
                let text = frame.string(0, row)
                let (value, scale) = try format(frame, row).parse(text.pointer, Int(text.count))
                output.put(row, try body(value, scale))
            }
        }
    }

    private static func zonedTemplate(
        _ site: FunctionSite
    ) throws -> (FunctionFrame, Int) throws -> ZonedNumberFormat {
        if site.arguments.count > 1 { return try template(site) { try ZonedNumberFormat($0) } }
        let free = ZonedNumberFormat()
        return { _, _ in free }
    }

    static let toNumber = FunctionKernel { site in
        let format = try template(site) { try NumberFormat($0) }
        let result = site.result
        let precision = DecimalRules.shape(of: result)?.precision ?? SQLType.maximumPrecision
        return { frame in
            let output = WideOutput(frame, result)
            try frame.forEachRow { row in
                let text = frame.string(0, row)
                let format = try format(frame, row)
                let value = try format.parse(text.pointer, Int(text.count))
                output.put(
                    row,
                    try DecimalArithmetic.rescale(
                        value, from: format.resultType.scale, to: result.scale, precision: precision))
            }
        }
    }
}
