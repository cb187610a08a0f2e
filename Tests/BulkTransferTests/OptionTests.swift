import SQLTypes
import Testing

@testable import BulkTransfer

@Suite struct OptionTests {
    private func parse(_ options: RawCopyOption...) throws -> CopyOptions { try CopyOptions(parsing: options) }
    private func message(_ options: RawCopyOption...) -> String {
        do { _ = try CopyOptions(parsing: options) } catch let error as SQLError {
            return error.message + (error.hint.map { " / " + $0 } ?? "")
        } catch { return "\(error)" }
        return ""
    }

    @Test func values() throws {
        #expect(try parse().delimiter == UInt8(ascii: "|"))
        #expect(try parse(RawCopyOption("CSV")).delimiter == UInt8(ascii: ","))
        #expect(try parse(RawCopyOption("FORMAT", [.word("csv")])).layout == .csv(quote: UInt8(ascii: "\"")))
        #expect(try parse(RawCopyOption("DELIMITER", [.string("\\t")])).delimiter == 9)
        #expect(try parse(RawCopyOption("DELIMITER", [.string("\\001")])).delimiter == 1)
        #expect(try parse(RawCopyOption("MAXERROR", [.number("100000")])).maxError == 100_000)
        #expect(try parse(RawCopyOption("COMPUPDATE", [.word("preset")])).compressionUpdate == .preset)
        #expect(try parse(RawCopyOption("COMPUPDATE")).compressionUpdate == .on)
        #expect(try parse(RawCopyOption("STATUPDATE", [.word("off")])).statisticsUpdate == .off)
        #expect(try parse(RawCopyOption("IAM_ROLE", [.word("default")])).hasAuthorization)
        #expect(try parse(RawCopyOption("ENCODING", [.word("utf16le")])).encoding == .utf16LittleEndian)
        #expect(try parse(RawCopyOption("ACCEPTINVCHARS")).invalidCharacterReplacement == UInt8(ascii: "?"))
        #expect(
            try parse(RawCopyOption("CSV"), RawCopyOption("QUOTE", [.string("%")])).layout
                == .csv(quote: UInt8(ascii: "%")))
    }

    @Test func mistakes() {
        #expect(
            message(RawCopyOption("DELIMETER", [.string("|")]))
                == "unknown COPY option \"DELIMETER\" / Did you mean DELIMITER?")
        #expect(message(RawCopyOption("XYZZY")) == "unknown COPY option \"XYZZY\"")
        #expect(message(RawCopyOption("GZIP"), RawCopyOption("GZIP")) == "conflicting or redundant options")
        #expect(message(RawCopyOption("CSV"), RawCopyOption("ESCAPE")) == "CSV cannot be used with ESCAPE")
        #expect(message(RawCopyOption("CSV"), RawCopyOption("REMOVEQUOTES")) == "CSV cannot be used with REMOVEQUOTES")
        #expect(
            message(RawCopyOption("FIXEDWIDTH", [.string("a:1")]), RawCopyOption("DELIMITER", [.string("|")]))
                == "FIXEDWIDTH cannot be used with DELIMITER")
        #expect(message(RawCopyOption("GZIP"), RawCopyOption("ZSTD")) == "GZIP cannot be used with ZSTD")
        #expect(
            message(RawCopyOption("DELIMITER", [.string("ab")]))
                == "COPY delimiter must be a single ASCII character")
        #expect(message(RawCopyOption("DELIMITER", [.string("\\n")])).contains("newline"))
        #expect(message(RawCopyOption("QUOTE", [.string("%")])) == "QUOTE can only be used with CSV")
        #expect(message(RawCopyOption("MAXERROR", [.number("100001")])).contains("out of range"))
        #expect(message(RawCopyOption("MAXERROR", [.number("99999999999999999999")])).contains("needs an integer"))
        #expect(message(RawCopyOption("FIXEDWIDTH", [.string("a:b")])).hasPrefix("invalid FIXEDWIDTH"))
        #expect(
            message(RawCopyOption("JSON"), RawCopyOption("DELIMITER", [.string("|")]))
                == "JSON cannot be used with DELIMITER")
        #expect(message(RawCopyOption("BZIP2"), RawCopyOption("LZOP")) == "BZIP2 cannot be used with LZOP")
        #expect(
            message(RawCopyOption("CSV"), RawCopyOption("DELIMITER", [.string("\"")]))
                == "COPY delimiter and CSV quote character must be different")
        #expect(
            message(RawCopyOption("IGNOREALLERRORS"), RawCopyOption("MAXERROR", [.number("1")]))
                == "IGNOREALLERRORS cannot be used with MAXERROR")
    }
}
