//! The embedded model: what its vectors are, and how it behaves under load and without any.
#![cfg(feature = "embedded-model")]
#![expect(clippy::print_stdout, reason = "a promise prints its figure")]

use std::time::Duration;

use satchel::index::embed::{
    embedder::Embedder,
    model::{Model, Pooling},
    workers::Limits,
};

const SENTENCES: &str = include_str!("../data/embeddings.json");
/// The reference's vectors for them, by a forward pass in 64-bit floats over the original weights, as numbers of 16 bits.
const REFERENCE: &[u8] = include_bytes!("../data/embeddings.i16");
/// fastembed's vectors for every fourth of them, as 32-bit floats: by the mean of 256 tokens, then by the first of 128.
const FASTEMBED: &[u8] = include_bytes!("../data/embeddings.f32");
const DIMENSIONS: usize = 384;

fn embedder() -> Embedder {
    Embedder::new(Model::embedded(), Limits::default())
}

fn sentences() -> Vec<String> {
    serde_json::from_str(SENTENCES).unwrap()
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

fn reference() -> Vec<Vec<f32>> {
    let numbers: Vec<f32> = REFERENCE.as_chunks::<2>().0.iter().map(|n| f32::from(i16::from_le_bytes(*n))).collect();
    numbers.chunks_exact(DIMENSIONS).map(<[f32]>::to_vec).collect()
}

#[tokio::test]
async fn the_vectors_are_those_of_the_reference() {
    let vectors = embedder().passages(sentences()).await.unwrap().unwrap();
    let reference = reference();
    assert_eq!(vectors.len(), reference.len());
    let cosines: Vec<f32> = vectors.iter().zip(&reference).map(|(a, b)| cosine(a, b)).collect();
    let mean = cosines.iter().sum::<f32>() / cosines.len() as f32;
    let least = cosines.iter().copied().fold(1.0, f32::min);
    println!("cosine to the reference: mean {mean:.5}, least {least:.5}");
    assert!(mean >= 0.9995 && least >= 0.998, "mean {mean}, all {cosines:?}");
}

#[tokio::test]
async fn the_vectors_are_those_of_fastembed() {
    let texts: Vec<String> = sentences().into_iter().step_by(4).collect();
    let mut vectors = Vec::new();
    for (pooling, max_tokens) in [(Pooling::Mean, 256), (Pooling::Cls, 128)] {
        let model = Model { pooling, max_tokens, ..Model::embedded().unwrap() };
        let embedder = Embedder::new(Some(model), Limits::default());
        vectors.extend(embedder.passages(texts.clone()).await.unwrap().unwrap());
    }
    let numbers: Vec<f32> = FASTEMBED.as_chunks::<4>().0.iter().map(|n| f32::from_le_bytes(*n)).collect();
    assert_eq!(numbers.len(), 2 * texts.len() * DIMENSIONS);
    for ((vector, known), text) in vectors.iter().zip(numbers.chunks_exact(DIMENSIONS)).zip(texts.iter().cycle()) {
        assert!(cosine(vector, known) >= 0.99999, "{}: {text}", cosine(vector, known));
    }
}

#[tokio::test]
async fn a_query_has_the_vector_of_the_same_passage() {
    let embedder = embedder();
    let text = "Where are the invoices of last year?";
    let query = embedder.query(text).await.unwrap().unwrap();
    let passage = embedder.passages(vec![text.to_owned()]).await.unwrap().unwrap();
    assert!(cosine(&query, &passage[0]) > 0.99999);
    assert!((query.iter().map(|n| n * n).sum::<f32>() - 1.0).abs() < 1e-5);
}

#[tokio::test]
async fn only_the_first_256_tokens_count() {
    let long = "word ".repeat(300);
    let longer = format!("{long}{}", "and something else entirely ".repeat(20_000));
    let vectors = embedder().passages(vec![long, longer, "word ".repeat(200)]).await.unwrap().unwrap();
    assert!(cosine(&vectors[0], &vectors[1]) > 0.99999);
    assert!(cosine(&vectors[0], &vectors[2]) < 0.99999);
}

#[tokio::test]
async fn a_special_token_that_was_written_is_a_word() {
    let texts = ["open the door [SEP] close the window", "open the door", ""].map(str::to_owned);
    let vectors = embedder().passages(texts.to_vec()).await.unwrap().unwrap();
    let ids = sentences();
    let at = ids.iter().position(|text| text == "[SEP]").unwrap();
    let written = embedder().passages(vec!["[SEP]".to_owned()]).await.unwrap().unwrap();
    assert!(cosine(&written[0], &reference()[at]) > 0.998, "as the reference takes it: three words");
    assert!(cosine(&written[0], &vectors[2]) < 0.9, "not the empty text");
    assert!(cosine(&vectors[0], &vectors[1]) < 0.95, "what comes after it counts");
}

#[tokio::test]
async fn a_query_goes_before_passages_that_wait() {
    let embedder = embedder();
    let passages = (0..64).map(|n| format!("{n} {}", "some text to be found later ".repeat(40))).collect();
    let all = tokio::spawn({
        let embedder = embedder.clone();
        async move { embedder.passages(passages).await }
    });
    embedder.query("is anybody there").await.unwrap().unwrap();
    assert!(!all.is_finished(), "the query waited for all passages");
    assert_eq!(all.await.unwrap().unwrap().unwrap().len(), 64);
}

#[tokio::test]
async fn many_who_ask_at_once_get_each_their_own() {
    let embedder = embedder();
    let texts = sentences();
    let alone = embedder.passages(texts.clone()).await.unwrap().unwrap();
    let asked = texts.iter().map(|text| {
        let (embedder, text) = (embedder.clone(), text.clone());
        tokio::spawn(async move { embedder.query(&text).await.unwrap().unwrap() })
    });
    let asked: Vec<_> = asked.collect();
    for ((asked, alone), text) in asked.into_iter().zip(&alone).zip(&texts) {
        assert!(cosine(&asked.await.unwrap(), alone) > 0.9999, "{text}");
    }
}

#[tokio::test]
async fn an_idle_model_leaves_memory_and_comes_back() {
    let embedder = Embedder::new(Model::embedded(), Limits { threads: 2, idle: Duration::from_millis(50) });
    assert!(!embedder.is_loaded());
    let before = embedder.passages(vec!["again".to_owned()]).await.unwrap().unwrap();
    while embedder.is_loaded() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(embedder.passages(vec!["again".to_owned()]).await.unwrap().unwrap(), before);
}
