//! A short run of the crash test of `make bench`.

#[path = "../bench/http.rs"]
mod http;
#[path = "../bench/kills.rs"]
mod kills;
#[path = "../bench/model.rs"]
mod model;
#[path = "../bench/server.rs"]
#[expect(dead_code, reason = "the benches also count CPU time")]
mod server;

#[tokio::test]
async fn nothing_acknowledged_is_lost_by_a_kill() {
    let summary = kills::rounds(15, 0x5A7C_4E11).await.unwrap();
    assert_eq!(summary.lost, Vec::<String>::new(), "{summary:?}");
    assert_eq!(summary.kills, 15);
    assert!(summary.acknowledged > 0 && summary.verified > 0, "{summary:?}");
}
