/// Relations of later PostgreSQL releases that Redshift does not have. psql 15 asks for them in its `\d` commands; they
/// are empty.
enum AbsentRelations {
    static let all: [SystemRelation] = [
        SystemRelation(
            "pg_opfamily", "oid oid, opfmethod oid, opfname name, opfnamespace oid, opfowner int, tableoid oid"),
        SystemRelation(
            "pg_amop",
            """
            oid oid, amopfamily oid, amoplefttype oid, amoprighttype oid, amopstrategy smallint, amoppurpose "char",
            amopopr oid, amopmethod oid, amopsortfamily oid
            """),
        SystemRelation(
            "pg_amproc",
            "oid oid, amprocfamily oid, amproclefttype oid, amprocrighttype oid, amprocnum smallint, amproc oid"),
        SystemRelation(
            "pg_conversion",
            """
            oid oid, conname name, connamespace oid, conowner int, conforencoding int, contoencoding int,
            conproc regproc, condefault bool
            """),
        SystemRelation(
            "pg_foreign_data_wrapper",
            """
            oid oid, fdwname name, fdwowner int, fdwhandler regproc, fdwvalidator regproc, fdwacl aclitem[],
            fdwoptions text[], tableoid oid
            """),
        SystemRelation(
            "pg_foreign_server",
            """
            oid oid, srvname name, srvowner int, srvfdw oid, srvtype text, srvversion text, srvacl aclitem[],
            srvoptions text[], tableoid oid
            """),
        SystemRelation("pg_foreign_table", "ftrelid oid, ftserver oid, ftoptions text[], tableoid oid"),
        SystemRelation(
            "pg_user_mappings",
            "umid oid, srvid oid, srvname name, umuser oid, usename name, umoptions text[]"),
        SystemRelation(
            "pg_ts_config", "oid oid, cfgname name, cfgnamespace oid, cfgowner int, cfgparser oid"),
        SystemRelation("pg_ts_config_map", "mapcfg oid, maptokentype int, mapseqno int, mapdict oid"),
        SystemRelation(
            "pg_ts_dict",
            "oid oid, dictname name, dictnamespace oid, dictowner int, dicttemplate oid, dictinitoption text"),
        SystemRelation(
            "pg_ts_parser",
            """
            oid oid, prsname name, prsnamespace oid, prsstart regproc, prstoken regproc, prsend regproc,
            prsheadline regproc, prslextype regproc
            """),
        SystemRelation(
            "pg_ts_template", "oid oid, tmplname name, tmplnamespace oid, tmplinit regproc, tmpllexize regproc"),
        SystemRelation("pg_largeobject", "loid oid, pageno int, data text"),
        SystemRelation("pg_rules", "schemaname name, tablename name, rulename name, definition text"),
        SystemRelation(
            "pg_shdepend",
            """
            dbid oid, classid oid, objid oid, objsubid int, refclassid oid, refobjid oid, deptype "char"
            """),
        SystemRelation("pg_largeobject_metadata", "oid oid, lomowner int, lomacl aclitem[]"),
    ]
}
