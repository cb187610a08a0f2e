/// Views that tell of the main cluster and of those that scale it. There is one cluster: what the main one's tell.
enum ScalingViews {
    private static let sources = [
        "svcs_compile": "svl_compile", "svcs_plan_info": "stl_plan_info", "svcs_stream_segs": "stl_stream_segs",
        "svcs_unload_log": "stl_unload_log", "svcs_s3list": "svl_s3list", "svcs_s3log": "svl_s3log",
        "svcs_s3partition_summary": "svl_s3partition_summary", "svcs_s3query_summary": "svl_s3query_summary",
    ]

    static let all: [SystemRelation] = {
        let known = ActivityHistoryRelations.all + StepRelations.all + UnloadRelations.all + EmptyRelations.all
        return sources.sorted { $0.key < $1.key }.flatMap { name, source in
            known.filter { $0.name == source }.map { relation in
                var view = relation
                view.name = name
                return view
            }
        }
    }()
}
