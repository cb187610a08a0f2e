/// Every word that the grammar knows. The raw value is the lower-case spelling.
enum Keyword: String, CaseIterable, Sendable {
    /// Not a keyword.
    case none = ""
    case abort, absolute, access, account, action, add, admin, aes128, aes256, after, all, allowoverwrite, alter
    case analyse
    case analyze, and, any, append, approximate, array, `as`, asc, at, attach, authorization, auto, az64
    case backup, backward, before, begin, between, binary, blanksasnull, boost, both, by, bytedict, bzip2
    case call, cancel, cascade, `case`, cast, character, characteristics, check, close, collate, column, columns
    case comment
    case commit, committed, compound, comprows, compression, connect, constraint, constraints, convert, copy, create
    case credentials, cross, cube, current, current_date, current_time, current_timestamp, current_user
    case current_user_id, cursor
    case data, database, databases, datashare, datashares, day, deallocate, declare, `default`, defaults, deferrable
    case deflate, defrag, delete, delta, delta32k, desc, describe, detach, disable, distinct, distkey, diststyle
    case `do`, double
    case drop, duplicates
    case `else`, emptyasnull, enable, encode, encrypt, encryption, end, escape, even, except, exclude, excluding
    case execute
    case exists, explain, explicit, exported, `extension`, external, extract
    case `false`, fetch, fields, filltarget, filter, first, following, `for`, force, foreign, format, forward
    case freeze, from
    case full, function, functions
    case generated, globaldict256, globaldict64k, grant, grants, group, grouping, groups, gzip
    case having, header, hold, hour
    case iam_role, identity, `if`, ignore, ignoreextra, ilike, immutable, `in`, include, including, initially, inner
    case `inout`, input, insensitive, insert, interleaved, intersect, interval, into, `is`, isnull, isolation
    case join
    case key, keys
    case label, language, last, lateral, leading, left, level, library, like, limit, local, localtime, localtimestamp
    case location, lock, lun, luns, lzo, lzop
    case manifest, masking, matched, materialized, merge, minus, minute, mode, model, month, mostly16, mostly32, mostly8
    case name, names, national, natural, new, next, no, nocycle, nothing = "none", nonatomic, not, notnull, null, nulls
    case off, offline, offset, oid, old, on, only, open, option, or, order, others, out, outer, over, overlaps, overlay
    case owner
    case parallel, parameters, partition, partitioned, password, percent, permissions, pivot, placing, policy, position
    case precedes, preceding, precision, predicate, prepare, primary, prior, privileges, procedure, procedures, `public`
    case qualify, quota
    case range, raw, read, readratio, recluster, recover, recursive, references, refresh, reindex, rejectlog
    case relative, release, remove, rename, repeatable, replace, reset, resort, respect, restore, restrict, returns
    case revoke, right, rls, role, rollback, rollup, row, rows
    case savepoint, schema, schemas, scroll, second, security, select, serializable, session, session_user, set, sets
    case share, show, similar, snapshot, some, sort, sortkey, stable, start, stdin, stored, strict, substring, symmetric
    case sysdate, system
    case table, tables, tag, tdes, temp, temporary, text255, text32k, then, ties, time, timestamp, timestamptz
    case timetz, to
    case top, trailing, transaction, trim, `true`, truncate, truncatecolumns, try_cast, type
    case unbounded, uncommitted, union, unique, unknown, unlimited, unload, unnest, unpivot, until, update, usage, use
    case user, using
    case vacuum, valid, values, varying, verbose, view, volatile
    case wallet, when, `where`, window, with, within, without, work, write
    case year
    case zone

    /// What a word may be used for, after PostgreSQL's four classes with Redshift's extra reserved words.
    enum Category: UInt8, Sendable {
        /// Any name.
        case unreserved
        /// A column or table name, not a function.
        case columnName
        /// A function or type name, not a column or table.
        case functionName
        /// Only a label behind AS, or behind a dot.
        case reserved
    }

    /// OID is on Redshift's list of reserved words too, but catalog queries of every driver use it as a column.
    var category: Category {
        switch self {
        case .aes128, .aes256, .all, .allowoverwrite, .analyse, .analyze, .and, .any, .array, .as, .asc, .az64,
            .backup, .blanksasnull, .both, .bytedict, .bzip2, .case, .cast, .check, .collate, .column, .constraint,
            .create, .credentials, .current_date, .current_time, .current_timestamp, .current_user, .current_user_id,
            .default, .deferrable, .deflate, .defrag, .delta, .delta32k, .desc, .disable, .distinct, .do, .else,
            .emptyasnull, .enable, .encode, .encrypt, .encryption, .end, .except, .explicit, .false, .for, .foreign,
            .from, .globaldict256, .globaldict64k, .grant, .group, .gzip, .having, .identity, .ignore, .in,
            .initially, .intersect, .interval, .into, .language, .leading, .limit, .localtime, .localtimestamp, .lun,
            .luns, .lzo, .lzop, .minus, .mostly16, .mostly32, .mostly8, .new, .not, .null, .nulls, .off, .offline,
            .offset, .old, .on, .only, .open, .or, .order, .parallel, .partition, .percent, .permissions, .pivot,
            .placing, .primary, .raw, .readratio, .recover, .references, .rejectlog, .resort, .respect, .restore,
            .select, .session_user, .snapshot, .some, .sysdate, .system, .table, .tag, .tdes, .text255, .text32k,
            .then, .timestamp, .to, .top, .trailing, .true, .truncatecolumns, .union, .unique, .unnest, .unpivot,
            .user, .using, .wallet, .when, .where, .with, .without:
            .reserved
        case .authorization, .between, .binary, .cross, .freeze, .full, .ilike, .inner, .is, .isnull, .join, .left,
            .like, .natural, .notnull, .outer, .overlaps, .right, .similar, .verbose:
            .functionName
        case .convert, .exists, .extract, .national, .overlay, .position, .row, .substring, .time, .timestamptz,
            .timetz, .trim, .try_cast, .values:
            .columnName
        default: .unreserved
        }
    }
}
