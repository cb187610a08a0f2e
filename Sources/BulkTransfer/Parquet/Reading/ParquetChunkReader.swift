import ColumnVectors
import Glibc
import Platform
import SQLTypes

/// The values of one leaf of one row group, page by page, converted to the table's form. Confined to its worker.
final class ParquetChunkReader {
    private let leaf: ParquetLeaf
    private let chunk: ParquetChunk
    private let pages: ParquetPageReader
    private let converter: ParquetColumnConverter
    private let scratch: ParquetScratch
    private var dictionary: ParquetDictionary?
    /// Texts that are in no page.
    private let strings = StringArena()
    /// Values, NULLs included, that no page has been taken for.
    private var toCome: Int
    /// Values, NULLs included, that are left of the present page.
    private(set) var left = 0
    private var repetitions: LevelDecoder?
    private var definitions: LevelDecoder?
    private var values: ParquetValueDecoder?
    private var indexes: RunDecoder?
    var conversion: ParquetConversion { converter.conversion }

    init(
        _ leaf: ParquetLeaf, _ chunk: ParquetChunk, _ conversion: ParquetConversion, _ input: any LoadInput,
        _ memory: ParquetPageMemory, _ scratch: ParquetScratch
    ) {
        self.leaf = leaf
        self.chunk = chunk
        self.scratch = scratch
        converter = ParquetColumnConverter(conversion, scratch)
        pages = ParquetPageReader(
            ParquetChunkInput(input, memory, start: chunk.start, length: chunk.length), leaf, chunk.codec, memory)
        toCome = chunk.values
    }

    func releaseStrings() { strings.removeAll() }

    /// True when no value is left in any page.
    var isAtEnd: Bool { left == 0 && toCome == 0 }

    func nextPage() throws {
        guard toCome > 0 else { throw ParquetDamage.truncated }
        var page = try pages.next()
        if let entries = page.dictionary {
            guard dictionary == nil, toCome == chunk.values else { throw ParquetDamage("a second dictionary") }
            dictionary = try ParquetDictionary(entries, leaf, converter, pages, scratch)
            page = try pages.next()
        }
        guard let data = page.data else { throw ParquetDamage("a second dictionary") }
        guard data.values <= toCome else { throw ParquetDamage("pages have more values than the column") }
        toCome -= data.values
        left = data.values
        repetitions = data.repetitions
        definitions = data.definitions
        values = nil
        indexes = nil
        if data.encoding == .plainDictionary || data.encoding == .rleDictionary {
            guard dictionary != nil else { throw ParquetDamage("a page needs a dictionary and there is none") }
            var bytes = data.bytes
            // A page of NULLs may have no indexes at all.
            let width = bytes.count > 0 ? Int(try bytes.byte()) : 0
            indexes = try RunDecoder(bytes, width: width)
        } else if data.bytes.count > 0 || definitions == nil {
            values = try ParquetValueDecoder(data.bytes, leaf.physical, length: leaf.length, data.encoding, scratch)
        }
    }

    /// Of a flat column's next rows, at most those of the page: how many have a value.
    func decodeValidity(_ rows: Int, _ out: UnsafeMutablePointer<UInt8>) throws -> Int {
        left -= rows
        guard definitions != nil else { return rows }
        try definitions?.decodeValidity(rows, out)
        return rows - ValidityBytes.nullCount(out, rows)
    }

    /// Of a nested column's next entries, at most those of the page: the levels, and how many have a value.
    func decodeLevels(
        _ count: Int, _ repetition: UnsafeMutablePointer<UInt16>, _ definition: UnsafeMutablePointer<UInt16>
    ) throws -> Int {
        left -= count
        if repetitions == nil { repetition.update(repeating: 0, count: count) }
        try repetitions?.decode(count, repetition)
        guard definitions != nil else {
            definition.update(repeating: 0, count: count)
            return count
        }
        try definitions?.decode(count, definition)
        var present = 0
        for index in 0..<count { present += Int(definition[index]) == leaf.definition ? 1 : 0 }
        return present
    }

    /// The next values, one behind the other; what cannot be loaded is listed by its place among them.
    func decode(_ count: Int, _ target: UnsafeMutableRawPointer, _ bad: inout [ParquetBadValue]) throws {
        if indexes != nil { return try gather(count, target, &bad) }
        guard let values else { throw ParquetDamage.truncated }
        let place = converter.decodesInPlace ? target : scratch.values
        let source = try values.next(count, place, strings)
        try converter.convert(source, count, values.facts, target, strings)
        bad += converter.failures
    }

    private func gather(_ count: Int, _ target: UnsafeMutableRawPointer, _ bad: inout [ParquetBadValue]) throws {
        guard let dictionary else { throw ParquetDamage.truncated }
        try indexes?.decode(count, scratch.indexes)
        guard largest(scratch.indexes, count) < dictionary.count else {
            throw ParquetDamage("a page refers to entry \(largest(scratch.indexes, count)) of \(dictionary.count)")
        }
        gatherValues(dictionary.values, scratch.indexes, count, target, width: conversion.width)
        if dictionary.failures.isEmpty { return }
        for index in 0..<count {
            guard var failure = dictionary.failures[scratch.indexes[index]] else { continue }
            failure.index = index
            bad.append(failure)
        }
    }
}

/// The values at some indexes, all of which are in range.
private func gatherValues(
    _ source: UnsafeRawPointer, _ indexes: UnsafePointer<UInt32>, _ count: Int, _ target: UnsafeMutableRawPointer,
    width: Int
) {
    switch width {
    case 1: gather(source, UInt8.self, indexes, count, target)
    case 2: gather(source, UInt16.self, indexes, count, target)
    case 4: gather(source, UInt32.self, indexes, count, target)
    case 8: gather(source, UInt64.self, indexes, count, target)
    default: gather(source, StringView.self, indexes, count, target)
    }
}

@inline(__always)
private func gather<Value>(
    _ source: UnsafeRawPointer, _ type: Value.Type, _ indexes: UnsafePointer<UInt32>, _ count: Int,
    _ target: UnsafeMutableRawPointer
) {
    let from = source.assumingMemoryBound(to: type)
    let out = target.assumingMemoryBound(to: type)
    for index in 0..<count { out[index] = from[Int(indexes[index])] }
}
